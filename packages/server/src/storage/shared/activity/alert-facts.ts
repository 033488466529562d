/** What alerts are found by. */
import type { ModuleFailure, PlatformHealth } from '../../../domain/alerts/alert-conditions.ts'
import type { HourCounts } from '../../../domain/alerts/push-baseline.ts'
import { selectHours } from '../counters/hourly-counters.ts'
import type { Executor } from '../schema/databases.ts'

export function listPlatformHealth(db: Executor): Promise<PlatformHealth[]> {
  return db
    .selectFrom('platforms')
    .select([
      'platform_id',
      'platform_name',
      'display_title',
      'status',
      'last_error',
      'failures_in_row',
      'failing_since',
    ])
    .where('removed_at', 'is', null)
    .orderBy('platform_id')
    .execute()
}

export function listFailingModules(db: Executor): Promise<ModuleFailure[]> {
  return db
    .selectFrom('modules')
    .select([
      'module_id',
      'platform_id',
      'module_name',
      'last_error as trouble',
      'failures_in_row',
      'failing_since',
    ])
    .where('failures_in_row', '>', 0)
    .where('registered_at', 'is not', null)
    .orderBy('module_id')
    .execute()
}

/** A platform has a row a node and hour, and two where the hub's day begins within the hour. */
export async function readHours(
  db: Executor,
  from: string,
  to: string,
): Promise<(HourCounts & { hour: string })[]> {
  const rows = await selectHours(db, from, to)
    .select((eb) => [
      'hour',
      'platform_id',
      eb.fn.sum<number>('received_post').as('post'),
      eb.fn.sum<number>('received_patch').as('patch'),
      eb.fn.sum<number>('rejected').as('rejected'),
    ])
    .groupBy(['hour', 'platform_id'])
    .execute()
  return rows.map(({ hour, platform_id, post, patch, rejected }) => ({
    hour,
    platform_id,
    pushes: Number(post) + Number(patch),
    rejected: Number(rejected),
  }))
}
