import { sql } from 'kysely'
import { type AttemptCount, addAttempt } from '../../../domain/auth/login-throttle.ts'
import { type GuessStore, MOST_GUESS_SUBJECTS } from '../../port/login-throttle-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'

export function createGuessStore({ reader, writer, hold }: Databases): GuessStore {
  return {
    async countGuess(subjects, at, decide) {
      // Whoever has to wait costs no write and no lock.
      const seconds = decide(await readCounts(reader, subjects))
      if (seconds > 0) return { outcome: 'wait', seconds }
      return writer.transaction().execute(async (db) => {
        await hold(db, 'guesses')
        const before = await readCounts(db, subjects)
        const seconds = decide(before)
        if (seconds > 0) return { outcome: 'wait', seconds }
        const counts = new Map<string, AttemptCount>()
        for (const subject of subjects) {
          const count = addAttempt(before.get(subject) ?? null, new Date(at))
          // A number that is given out in vain would bring the end of another subject nearer.
          await (before.has(subject)
            ? db.updateTable('guesses').set(count).where('subject', '=', subject).execute()
            : db
                .insertInto('guesses')
                .values({ subject, ...count })
                .execute())
          counts.set(subject, count)
        }
        await dropBeyondLimit(db)
        return { outcome: 'counted', counts }
      })
    },

    async forgiveGuess(forgotten, lessened) {
      await writer.transaction().execute(async (db) => {
        await hold(db, 'guesses')
        if (forgotten.length > 0) {
          await db.deleteFrom('guesses').where('subject', 'in', forgotten).execute()
        }
        if (lessened.length === 0) return
        await db
          .updateTable('guesses')
          .set({ tries: sql<number>`tries - 1` })
          .where('subject', 'in', lessened)
          .execute()
        await db
          .deleteFrom('guesses')
          .where('subject', 'in', lessened)
          .where('tries', '<=', 0)
          .execute()
      })
    },
  }
}

async function readCounts(
  db: Executor,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, AttemptCount>> {
  const rows = await db
    .selectFrom('guesses')
    .select(['subject', 'tries', 'at'])
    .where('subject', 'in', subjects)
    .execute()
  return new Map(rows.map(({ subject, ...count }) => [subject, count]))
}

/** Numbers are given out rising, so that those below the newest by so many are all that is too much. */
async function dropBeyondLimit(db: Executor): Promise<void> {
  await db
    .deleteFrom('guesses')
    .where('guess_id', '<=', ({ selectFrom }) =>
      selectFrom('guesses').select(sql<number>`max(guess_id) - ${MOST_GUESS_SUBJECTS}`.as('last')),
    )
    .execute()
}
