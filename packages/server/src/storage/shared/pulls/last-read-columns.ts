import { sql } from 'kysely'
import type { PullTaskResult } from '../../port/pull-store.ts'
import type { Executor } from '../schema/databases.ts'
import { countUnmarked } from './missing-store.ts'

/** Returns the columns of a module after a complete read. */
export async function toLastReadColumns(
  db: Executor,
  module: { platform_id: number; module_id: number },
  {
    snapshotSeq,
    requested_at,
    records,
    rejected_present,
    incomplete_reasons,
    pushes,
  }: NonNullable<PullTaskResult['read']>,
  at: string,
) {
  // A read proves nothing about records that it did not contain, so it replaces the snapshot only if it contained all.
  const hasSeenAll = (await countUnmarked(db, module)) === records
  return {
    last_read_finished_at: at,
    last_read_records: records + rejected_present,
    ...(hasSeenAll
      ? { last_read_snapshot_seq: snapshotSeq, last_read_requested_at: requested_at }
      : {}),
    ...(incomplete_reasons === null
      ? extendCompleteness(at, pushes)
      : { last_read_incomplete_reasons: JSON.stringify(incomplete_reasons) }),
    ...(incomplete_reasons?.length === 0 ? { complete_at: at, complete_pushes: pushes } : {}),
  }
}

/** After a 304 response: if the cached response proved that the module is complete, it proves so for this read as well. */
function extendCompleteness(at: string, pushes: number) {
  const wasProof = sql`complete_at IS NOT NULL AND last_read_incomplete_reasons = '[]'`
  return {
    complete_at: sql<string | null>`CASE WHEN ${wasProof} THEN ${at} ELSE complete_at END`,
    complete_pushes: sql<number | null>`
      CASE WHEN ${wasProof} THEN ${pushes} ELSE complete_pushes END`,
  }
}
