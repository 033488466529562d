import type { CachedResponse } from '../../../domain/pull/unchanged.ts'
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
    listed,
  }: NonNullable<PullTaskResult['read']> & {
    /** The number of elements of the response, rejected ones included. */
    listed: number
  },
  { cached, at }: { cached: CachedResponse | null; at: string },
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
      ? toConfirmation(cached, at)
      : {
          full_read_at: at,
          last_read_listed: listed,
          ...toConfirmation(null, at),
          last_read_incomplete_reasons: JSON.stringify(incomplete_reasons),
        }),
    ...(incomplete_reasons?.length === 0 ? { complete_at: at, complete_pushes: pushes } : {}),
  }
}

/**
 * The columns of the last 304 response, which confirmed the cached response; null for none. It only shows that the
 * platform sent the same validator, so it verifies nothing.
 */
function toConfirmation(confirmed: CachedResponse | null, at: string) {
  if (!confirmed) return { confirmed_at: null, confirmed_by: null }
  // A platform that receives both conditions evaluates only the ETag (RFC 9110, 13.2.2).
  const confirmed_by = confirmed.etag === null ? ('last_modified' as const) : ('etag' as const)
  return { confirmed_at: at, confirmed_by }
}
