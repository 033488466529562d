import type { PullMode, PullTaskState, PullTrigger } from '@recordhub/protocol'
import { sql } from 'kysely'
import { findPauseEnd, isPaused, MAX_FAILURES } from '../../../domain/pull/pull-pause.ts'
import type {
  PullScope,
  PullTaskPlan,
  SchedulePause,
  ScheduleStore,
} from '../../port/pull-store.ts'
import { insertActivity, insertLog } from '../activity/activity-rows.ts'
import { distinctTitle } from '../platforms/platform-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

/** Rows per statement. SQLite allows 32,766 parameters. */
const MAX_ROWS = 1000
const SKIPPED =
  'The last five or more pulls stored nothing from this platform. Scheduled pulls ping it, and skip it for up to 15 minutes until it responds or pushes a record. A manual pull does not skip it.'

/**
 * Creates a task for each module of a pull. The modules with the oldest complete read, or the oldest failure of their
 * platform, come first.
 * @returns the number of modules and of their platforms.
 */
export async function planTasks(
  db: Executor,
  pull: { pull_id: number; trigger: PullTrigger; only: PullScope | null },
  now: Date,
): Promise<{ modules: number; platforms: number }> {
  const { pull_id, only } = pull
  const at = now.toISOString()

  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select((eb) => [
      'm.module_id',
      'm.platform_id',
      'm.last_read_finished_at',
      'p.failed_at',
      eb
        .selectFrom('module_counters as c')
        .whereRef('c.platform_id', '=', 'm.platform_id')
        .whereRef('c.module_id', '=', 'm.module_id')
        .select((inner) => inner.fn.sum<number | null>('c.records').as('n'))
        .as('records'),
    ])
    .where('p.status', '=', 'active')
    .where('m.registered_at', 'is not', null)
  if (only) select = select.where('m.platform_id', '=', only.platform_id)
  if (only?.record_types) select = select.where('m.record_type', 'in', only.record_types)
  const modules = await select.orderBy('m.module_id').execute()
  // A time that is still to come is from a clock that was ahead. The module must not be the last of every pull until then.
  const known = (time: string | null) => (time !== null && time <= at ? time : '')
  const lastAttempt = ({ last_read_finished_at, failed_at }: (typeof modules)[number]) => {
    const [read, failed] = [known(last_read_finished_at), known(failed_at)]
    return read > failed ? read : failed
  }
  modules.sort(
    (one, other) =>
      Number(lastAttempt(one) > lastAttempt(other)) - Number(lastAttempt(one) < lastAttempt(other)),
  )
  const paused = pull.trigger === 'schedule' ? await findPaused(db, now) : new Set<number>()
  const tasks = modules.map(({ platform_id, module_id, records }, index) => ({
    pull_id,
    task_number: index + 1,
    platform_id,
    module_id,
    ...(paused.has(platform_id)
      ? { state: 'skipped' as const, error: SKIPPED, finished_at: at }
      : { state: 'queued' as const, error: null, finished_at: null }),
    total: null,
    expected: records === null ? null : Number(records),
    started_at: null,
    waiting_since: null,
  }))
  for (let at = 0; at < tasks.length; at += MAX_ROWS) {
    await db
      .insertInto('pull_tasks')
      .values(tasks.slice(at, at + MAX_ROWS))
      .execute()
  }
  return {
    modules: tasks.length,
    platforms: new Set(tasks.map(({ platform_id }) => platform_id)).size,
  }
}

/** Returns the queued tasks of a pull, or only those of one platform, in the order in which they run. */
export async function listPlans(
  db: Executor,
  pullId: number,
  platformId: number | null = null,
): Promise<PullTaskPlan[]> {
  let select = db
    .selectFrom('pull_tasks as t')
    .innerJoin('modules as m', 'm.module_id', 't.module_id')
    .innerJoin('pulls as p', 'p.pull_id', 't.pull_id')
    .select([
      // The mode of the pull, if it has one.
      sql<PullMode>`CASE WHEN p.mode = 'auto' THEN m.next_pull_mode ELSE p.mode END`.as(
        'pull_mode',
      ),
      'p.trigger',
      't.task_number',
      't.platform_id',
      't.module_id',
      'm.record_type',
      'm.module_name',
      'm.fields',
      'm.drift_policy',
      'm.last_error as error',
      'm.last_problem as problem',
    ])
    .where((eb) => eb.and({ 't.pull_id': pullId, 't.state': 'queued' }))
  if (platformId !== null) select = select.where('t.platform_id', '=', platformId)
  const rows = await select.orderBy('t.task_number').execute()
  return rows.map((row) => ({ ...row, fields: JSON.parse(row.fields) }))
}

/** Returns the ids of the platforms that a pull skips. */
export async function listSkipped(db: Executor, pullId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pull_tasks')
    .select('platform_id')
    .distinct()
    .where((eb) => eb.and({ pull_id: pullId, state: 'skipped' }))
    .orderBy('platform_id')
    .execute()
  return rows.map(({ platform_id }) => platform_id)
}

/** Queues the skipped tasks of a platform in a running pull, and ends its pause. @returns the tasks. */
export async function resumeSkipped(
  db: Executor,
  { pullId, platformId, at }: { pullId: number; platformId: number; at: string },
): Promise<PullTaskPlan[]> {
  const running = db
    .selectFrom('pulls')
    .select('pull_id')
    .where((eb) => eb.and({ pull_id: pullId, state: 'running' }))
  const resumed = await db
    .updateTable('pull_tasks')
    .set({ state: 'queued', error: null, finished_at: null })
    .where('pull_id', 'in', running)
    .where((eb) => eb.and({ platform_id: platformId, state: 'skipped' }))
    .executeTakeFirst()
  if (resumed.numUpdatedRows === 0n) return []
  await recordRecovery(db, platformId, at)
  return listPlans(db, pullId, platformId)
}

/** Returns the platforms that a scheduled pull skips. */
async function findPaused(db: Executor, now: Date): Promise<Set<number>> {
  const failing = await selectFailing(db).execute()
  const paused = failing.filter((platform) => isPaused(platform, now))
  return new Set(paused.map(({ platform_id }) => platform_id))
}

/** Returns until when scheduled pulls skip a platform; null if they do not. */
export async function readPauseEnd(
  db: Executor,
  platformId: number,
  now: Date,
): Promise<string | null> {
  const failing = await selectFailing(db).where('p.platform_id', '=', platformId).executeTakeFirst()
  return failing ? findPauseEnd(failing, now) : null
}

/** Selects the failing platforms, with the columns that decide whether a pull skips them. */
function selectFailing(db: Executor) {
  return db
    .selectFrom('platforms as p')
    .select((eb) => [
      'p.platform_id',
      'p.failures_in_row',
      'p.failed_at',
      'p.recovered_at',
      'p.last_pulled_at',
      eb
        .selectFrom('hub_keys as k')
        .whereRef('k.platform_id', '=', 'p.platform_id')
        .select((inner) => inner.fn.max('k.last_used_at').as('at'))
        .as('last_push_at'),
    ])
    .where('p.failures_in_row', '>=', MAX_FAILURES)
}

/** Ends the pause of a platform that has responded. Writes nothing for a platform that is not failing. */
export async function recordRecovery(db: Executor, platformId: number, at: string): Promise<void> {
  await db
    .updateTable('platforms')
    .set({ recovered_at: at })
    .where('platform_id', '=', platformId)
    .where('failures_in_row', '>', 0)
    .execute()
}

/**
 * Updates the failure count of each platform of a pull, and logs the platforms that scheduled pulls skip from now on.
 */
export async function recordFailures(db: Executor, pullId: number, at: string): Promise<void> {
  const platformsWith = (...states: PullTaskState[]) =>
    db
      .selectFrom('pull_tasks')
      .select('platform_id')
      .where('pull_id', '=', pullId)
      .where('state', 'in', states)
  // A task that has requested nothing leaves the last error of its module, and proves nothing.
  const succeeded = platformsWith('succeeded').where(
    'module_id',
    'in',
    db.selectFrom('modules').select('module_id').where('last_error', 'is', null),
  )
  await db
    .updateTable('platforms')
    .set({ failures_in_row: 0, failed_at: null, failing_since: null })
    .where('failures_in_row', '>', 0)
    .where('platform_id', 'in', succeeded)
    .execute()
  const FAILED = ['failed', 'timed_out'] as const
  const failed = await db
    .updateTable('platforms')
    .set((eb) => ({
      failures_in_row: sql`failures_in_row + 1`,
      // The time of the failure and not of the end of the pull, since a push may arrive between them.
      failed_at: eb
        .selectFrom('pull_tasks as t')
        .whereRef('t.platform_id', '=', 'platforms.platform_id')
        .where('t.pull_id', '=', pullId)
        .where('t.state', 'in', FAILED)
        .select((inner) => inner.fn.max('t.finished_at').as('at')),
      failing_since: sql`coalesce(failing_since, ${at})`,
    }))
    .where('platform_id', 'in', platformsWith(...FAILED))
    .where('platform_id', 'not in', succeeded)
    .returning([
      'platform_id',
      'platform_name',
      distinctTitle('platforms').as('display_title'),
      'last_error',
      'failures_in_row',
    ])
    .execute()
  for (const platform of failed) {
    if (platform.failures_in_row !== MAX_FAILURES) continue
    await insertActivity(db, at, {
      level: 'warning',
      kind: 'platform.passed_over',
      message: `${MAX_FAILURES} pulls in a row stored nothing from ${platform.display_title}. Scheduled pulls now ping it, and skip it for up to 15 minutes until it responds or pushes a record; a manual pull does not skip it. The last error was: ${platform.last_error ?? 'unknown'}`,
      platform,
      details: { pull_id: pullId },
    })
  }
}

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
