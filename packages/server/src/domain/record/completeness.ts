/** Whether a successful read proves that all records of a module are stored: pure. */
import type { IncompleteReason, PullCounts } from '@recordhub/protocol'

/** Whether a read received another number of records than the total that the platform reported. */
export function totalDiffers(total: number | null, received: number): boolean {
  return total !== null && total !== received
}

/**
 * The reasons why a read is not a proof; none if it is. Its total, the number of received records and the stored
 * records must agree, and no decision about missing records may be pending.
 */
export function findIncompleteReasons(read: {
  total: number | null
  counts: Pick<PullCounts, 'received' | 'stale' | 'rejected'>
  /** Whether no record needs a decision by a later read or an operator. */
  isDecided: boolean
}): IncompleteReason[] {
  const { total, counts, isDecided } = read
  const checks: [IncompleteReason, boolean][] = [
    ['no_total', total === null],
    ['total_differs', totalDiffers(total, counts.received)],
    ['rejected', counts.rejected > 0],
    ['stale', counts.stale > 0],
    ['missing_undecided', !isDecided],
  ]
  return checks.flatMap(([reason, applies]) => (applies ? [reason] : []))
}
