/** The end of a pull task, and what it shows about its module and platform. */
import type { PullMode, ReadMode } from '@recordhub/protocol'
import { sql } from 'kysely'
import type { PullTaskResult } from '../../port/pull-store.ts'
import { saveDigest } from '../records/digest-store.ts'
import { saveGroups } from '../rejected-pushes/rejection-groups.ts'
import type { Executor } from '../schema/databases.ts'
import { toCachedResponseColumns } from './cached-responses.ts'
import { toComparedColumns, toLastReadColumns } from './completeness-store.ts'

/**
 * Stores the result of a task as `PullStore.finishTask` specifies, without the activity entry.
 * @returns false if the task has ended before.
 */
export async function finishTask(
  db: Executor,
  { at, ...key }: { pull_id: number; task_number: number; at: string },
  result: PullTaskResult,
): Promise<boolean> {
  const task = await db
    .updateTable('pull_tasks')
    .set({
      state: result.state,
      total: result.total,
      ...result.counts,
      begins_rejected: exceedsKnown('rejected', result),
      begins_not_listed: exceedsKnown('not_listed', result),
      error: result.error,
      error_cause: result.error_cause,
      warnings: JSON.stringify(result.warnings),
      mode: result.mode,
      full_because: result.full_because,
      digest: result.digest && JSON.stringify(result.digest),
      finished_at: at,
      waiting_since: null,
    })
    .where((eb) => eb.and(key))
    .where('state', 'in', ['queued', 'running'])
    .returning(['platform_id', 'module_id'])
    .executeTakeFirst()
  if (!task) return false
  if (result.digest_change) await saveDigest(db, task, result.digest_change)
  await updateModule(db, task, result, at)
  if (result.rejection_groups) await saveGroups(db, task, result.rejection_groups)
  await updatePlatform(db, task, result, at)
  return true
}

/** Whether the end of a task shows if the module can be read. An interrupted, cancelled or idle task does not. */
function isConclusive({ state, is_idle }: Pick<PullTaskResult, 'state' | 'is_idle'>): boolean {
  if (is_idle) return false
  return state === 'succeeded' || state === 'failed' || state === 'timed_out'
}

function toFailures(state: PullTaskResult['state'], at: string) {
  if (state === 'succeeded') return { failures_in_row: 0, failing_since: null }
  return {
    failures_in_row: sql<number>`failures_in_row + 1`,
    failing_since: sql<string>`coalesce(failing_since, ${at})`,
  }
}

/** Whether a task counts more than is known of its module. */
function exceedsKnown(name: 'rejected' | 'not_listed', { counts }: PullTaskResult) {
  return sql<number>`CASE WHEN EXISTS (SELECT 1 FROM modules m WHERE m.module_id = pull_tasks.module_id
    AND m.${sql.ref(`known_${name}`)} < ${sql.lit(counts[name])}) THEN 1 ELSE 0 END`
}

/** Only a read of the whole list shows that the count of its module is lower. */
function toKnown(name: 'rejected' | 'not_listed', result: PullTaskResult) {
  const count = result.counts[name]
  if (result.read && result.rejection_groups) return count
  const known = sql.ref<number>(`known_${name}`)
  return sql<number>`CASE WHEN ${known} < ${sql.lit(count)} THEN ${sql.lit(count)} ELSE ${known} END`
}

/** A read that began before the next one was required to be a full one does not count as it. */
function modeAfter(mode: ReadMode) {
  if (mode === 'full') return 'auto' as const
  return sql<PullMode>`CASE WHEN next_pull_mode = 'full' THEN 'full' ELSE 'auto' END`
}

async function updateModule(
  db: Executor,
  module: { platform_id: number; module_id: number },
  result: PullTaskResult,
  at: string,
): Promise<void> {
  const { state, mode, read, compared, counts, error, problem, cached_response } = result
  await db
    .updateTable('modules')
    .set({
      ...toCachedResponseColumns(cached_response),
      known_rejected: toKnown('rejected', result),
      known_not_listed: toKnown('not_listed', result),
      ...(state === 'succeeded' ? { next_pull_mode: modeAfter(mode) } : {}),
      ...(isConclusive(result)
        ? { last_error: error, last_problem: problem, ...toFailures(state, at) }
        : {}),
      ...(read
        ? await toLastReadColumns(
            db,
            module,
            { ...read, listed: counts.received },
            { cached: cached_response, at },
          )
        : {}),
      ...(compared ? await toComparedColumns(db, module, compared, at) : {}),
    })
    .where('module_id', '=', module.module_id)
    .execute()
}

async function updatePlatform(
  db: Executor,
  { platform_id }: { platform_id: number },
  result: PullTaskResult,
  at: string,
): Promise<void> {
  if (!isConclusive(result)) return
  const { state, platform_error } = result
  await db
    .updateTable('platforms')
    .set({
      last_error: platform_error,
      ...(state === 'succeeded' ? { last_pulled_at: at } : {}),
    })
    .where('platform_id', '=', platform_id)
    .execute()
}
