import { sql } from 'kysely'
import type { PullTaskResult } from '../../port/pull-store.ts'
import { countUnmarked } from '../pulls/missing-store.ts'
import type { Executor } from '../schema/databases.ts'

/** The columns of a module after a complete read. The read says nothing about records that it did not contain. */
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
  const hasSeenAll = (await countUnmarked(db, module)) === records
  return {
    last_read_finished_at: at,
    last_read_records: records + rejected_present,
    ...(hasSeenAll
      ? { last_read_snapshot_seq: snapshotSeq, last_read_requested_at: requested_at }
      : {}),
    ...(incomplete_reasons === null
      ? provedAgain(at, pushes)
      : { last_read_incomplete_reasons: JSON.stringify(incomplete_reasons) }),
    ...(incomplete_reasons?.length === 0 ? { complete_at: at, complete_pushes: pushes } : {}),
  }
}

/** A response that is still valid (304) proves the completeness that it proved before. */
function provedAgain(at: string, pushes: number) {
  const isProof = sql`complete_at IS NOT NULL AND last_read_incomplete_reasons = '[]'`
  return {
    complete_at: sql<string | null>`CASE WHEN ${isProof} THEN ${at} ELSE complete_at END`,
    complete_pushes: sql<number | null>`
      CASE WHEN ${isProof} THEN ${pushes} ELSE complete_pushes END`,
  }
}
