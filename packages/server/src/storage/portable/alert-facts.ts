/** What alerts are found by. */
import type { PlatformHealth } from '../../domain/alert-conditions.ts'
import type { HourCounts } from '../../domain/push-rhythm.ts'
import type { Executor } from './databases.ts'

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
    .orderBy('platform_id')
    .execute()
}

/** A platform has a row a node, and two where the hub's day begins within the hour. */
export async function readHour(db: Executor, hour: string): Promise<HourCounts[]> {
  const rows = await db
    .selectFrom('hourly_counters')
    .select((eb) => [
      'platform_id',
      eb.fn.sum<number>('received_post').as('post'),
      eb.fn.sum<number>('received_patch').as('patch'),
      eb.fn.sum<number>('rejected').as('rejected'),
    ])
    .where('hour', '=', hour)
    .groupBy('platform_id')
    .execute()
  return rows.map(({ platform_id, post, patch, rejected }) => ({
    platform_id,
    pushes: Number(post) + Number(patch),
    rejected: Number(rejected),
  }))
}
