import type { SchedulePause, ScheduleStore } from '../../port/schedule-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

/** The name of the schedule in `paused_schedules`. */
const SCHEDULE = 'pulls'

export function createScheduleStore({ reader, writer, clock }: Databases): ScheduleStore {
  return {
    readPause: () => findPause(reader),

    setPaused: (paused, actor, log) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const changed = paused
          ? await db
              .insertInto('paused_schedules')
              .values({ schedule: SCHEDULE, paused_at: at, paused_by: actor })
              .onConflict((conflict) => conflict.doNothing())
              .returning('schedule')
              .executeTakeFirst()
          : await db
              .deleteFrom('paused_schedules')
              .where('schedule', '=', SCHEDULE)
              .returning('schedule')
              .executeTakeFirst()
        if (!changed) return
        await insertLog(db, at, log)
      }),
  }
}

export async function findPause(db: Executor): Promise<SchedulePause | null> {
  const row = await db
    .selectFrom('paused_schedules')
    .select(['paused_at', 'paused_by'])
    .where('schedule', '=', SCHEDULE)
    .executeTakeFirst()
  return row ? { since: row.paused_at, actor: row.paused_by } : null
}
