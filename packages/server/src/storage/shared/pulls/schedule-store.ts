import type { SchedulePause, ScheduleStore } from '../../port/schedule-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

const PAUSE = 'schedule paused'

export function createScheduleStore({ reader, writer, clock }: Databases): ScheduleStore {
  return {
    readPause: () => findPause(reader),

    setPaused: (paused, actor, log) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const changed = paused
          ? await db
              .insertInto('switches')
              .values({ name: PAUSE, since: at, actor })
              .onConflict((conflict) => conflict.doNothing())
              .returning('name')
              .executeTakeFirst()
          : await db
              .deleteFrom('switches')
              .where('name', '=', PAUSE)
              .returning('name')
              .executeTakeFirst()
        if (!changed) return
        await insertLog(db, at, log)
      }),
  }
}

export async function findPause(db: Executor): Promise<SchedulePause | null> {
  const row = await db
    .selectFrom('switches')
    .select(['since', 'actor'])
    .where('name', '=', PAUSE)
    .executeTakeFirst()
  return row ? { since: row.since, actor: row.actor } : null
}
