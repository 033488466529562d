/** Whether a successful read proves that all records of a module are stored: pure. */
import type { IncompleteReason, PullCounts } from '@recordhub/protocol'

/** Whether a read received another number of records than the total that the platform reported. */
export function totalDiffers(total: number | null, received: number): boolean {
  return total !== null && total !== received
}

/**
 * The reasons why a read is not a proof; none if it is. It must report success, its total, the number of received
 * records and the stored records must agree, and no decision about missing records may be pending. Pushes during the read are newer than what it
 * proves, so they are no reason.
 */
export function findIncompleteReasons(read: {
  reportsSuccess: boolean
  total: number | null
  counts: Pick<PullCounts, 'received' | 'rejected'>
  /** Whether no record that was pushed early enough for the read needs a decision by a later read or an operator. */
  isVerified: boolean
  /** The number of records that differ from the platform because a revert holds what it has taken back. */
  held: number
}): IncompleteReason[] {
  const { reportsSuccess, total, counts, isVerified, held } = read
  const checks: [IncompleteReason, boolean][] = [
    ['no_success', !reportsSuccess],
    ['no_total', total === null],
    ['total_differs', totalDiffers(total, counts.received)],
    ['rejected', counts.rejected > 0],
    ['missing_undecided', !isVerified],
    ['held', held > 0],
  ]
  return toReasons(checks)
}

/**
 * The reasons after a digest has proved the same versions. Of what the last list lacked none remains; the explained differences
 * say what the hub does not have.
 */
export function findExplainedReasons(digest: {
  /** The number of explained differences, of the rejected elements among them, and of accepted exceptions. */
  explained: number
  rejected: number
  accepted: number
  hasOpenReview: boolean
  /** Whether a revert holds what it has taken back. */
  hasHolds: boolean
}): IncompleteReason[] {
  const { explained, rejected, accepted, hasOpenReview, hasHolds } = digest
  if (explained === 0) return []
  return toReasons([
    ['rejected', rejected > accepted],
    ['missing_undecided', hasOpenReview],
    ['held', hasHolds],
  ])
}

function toReasons(checks: readonly [IncompleteReason, boolean][]): IncompleteReason[] {
  return checks.flatMap(([reason, applies]) => (applies ? [reason] : []))
}
