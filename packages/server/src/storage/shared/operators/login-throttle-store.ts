import { sql } from 'kysely'
import { type AttemptCount, addAttempt } from '../../../domain/auth/login-throttle.ts'
import { type LoginThrottleStore, MAX_THROTTLED_SUBJECTS } from '../../port/operator-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { deleteRows, listRows, updateRows } from '../schema/rows.ts'

export function createLoginThrottleStore(databases: Databases): LoginThrottleStore {
  const { reader, transact } = databases
  return {
    async countAttempt(subjects, at, decide) {
      // A caller who must wait causes neither a write nor a lock.
      const seconds = decide(await readCounts(reader, subjects))
      if (seconds > 0) return { outcome: 'wait', seconds }
      return transact(['login attempts'], async (db) => {
        const before = await readCounts(db, subjects)
        const seconds = decide(before)
        if (seconds > 0) return { outcome: 'wait', seconds }
        const counts = new Map<string, AttemptCount>()
        for (const subject of subjects) {
          const count = addAttempt(before.get(subject) ?? null, new Date(at))
          await saveCount(db, subject, count, before.has(subject))
          counts.set(subject, count)
        }
        await deleteOldestSubjects(db)
        return { outcome: 'counted', counts }
      })
    },

    async refundAttempt({ reset, refund }) {
      await transact(['login attempts'], async (db) => {
        if (reset.length > 0) {
          await db.deleteFrom('login_attempts').where('subject', 'in', reset).execute()
        }
        if (refund.length === 0) return
        const refunded = { attempts: sql`attempts - 1` }
        await updateRows(db, 'login_attempts', { subject: refund }, refunded)
        await deleteRows(db, 'login_attempts', { subject: refund, attempts: sql`<= 0` })
      })
    },
  }
}

async function readCounts(
  db: Executor,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, AttemptCount>> {
  const columns = ['subject', 'attempts', 'last_attempt_at'] as const
  const rows = await listRows(db, 'login_attempts', { subject: subjects }, columns)
  return new Map(
    rows.map((row) => [row.subject, { attempts: row.attempts, at: row.last_attempt_at }]),
  )
}

/** Not an upsert: it would allocate an id for a stored subject, and so delete the oldest subject earlier. */
async function saveCount(
  db: Executor,
  subject: string,
  count: AttemptCount,
  isStored: boolean,
): Promise<void> {
  const row = { attempts: count.attempts, last_attempt_at: count.at }
  await (isStored
    ? db.updateTable('login_attempts').set(row).where('subject', '=', subject).execute()
    : db
        .insertInto('login_attempts')
        .values({ subject, ...row })
        .execute())
}

/** Ids rise, so the newest {@link MAX_THROTTLED_SUBJECTS} ids include all subjects that stay. */
async function deleteOldestSubjects(db: Executor): Promise<void> {
  await db
    .deleteFrom('login_attempts')
    .where('login_attempt_id', '<=', ({ selectFrom }) =>
      selectFrom('login_attempts').select(
        sql<number>`max(login_attempt_id) - ${MAX_THROTTLED_SUBJECTS}`.as('last'),
      ),
    )
    .execute()
}
