import { sql } from 'kysely'
import type { PullTaskResult } from '../../port/pull-store.ts'
import { countUnmarked } from '../pulls/missing-store.ts'
import type { Executor } from '../schema/databases.ts'

/** What a whole read leaves of its module; a record that it did not bring must not be judged by it. */
export async function toReadColumns(
  db: Executor,
  module: { platform_id: number; module_id: number },
  {
    snapshotSeq: mark,
    requested_at,
    records,
    rejected_present: rejected_here,
    incomplete_reasons: doubts,
    pushes,
  }: NonNullable<PullTaskResult['read']>,
  at: string,
) {
  const metAll = (await countUnmarked(db, module)) === records
  return {
    last_read_finished_at: at,
    last_read_records: records + rejected_here,
    ...(metAll ? { last_read_mark: mark, last_read_requested_at: requested_at } : {}),
    ...(doubts === null ? asBefore(at, pushes) : { last_read_doubts: JSON.stringify(doubts) }),
    ...(doubts?.length === 0 ? { complete_at: at, complete_pushes: pushes } : {}),
  }
}

/** An answer that still holds proves what it proved when it came. */
function asBefore(at: string, pushes: number) {
  const isProof = sql`complete_at IS NOT NULL AND last_read_doubts = '[]'`
  return {
    complete_at: sql<string | null>`CASE WHEN ${isProof} THEN ${at} ELSE complete_at END`,
    complete_pushes: sql<number | null>`
      CASE WHEN ${isProof} THEN ${pushes} ELSE complete_pushes END`,
  }
}
