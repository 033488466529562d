/** Whether a read that ended well proves that all records of a module are here: pure. */
import type { Doubt, PullCounts } from '@recordhub/protocol'

/**
 * What keeps a read from proving it; none where it does. Its total, the count of what came, and what is
 * stored must agree, and nothing may wait to be judged.
 */
export function findDoubts(read: {
  total: number | null
  counts: Pick<PullCounts, 'received' | 'stale' | 'rejected'>
  /** Whether no record is left that a later read or an operator must decide on. */
  isSettled: boolean
}): Doubt[] {
  const { total, counts, isSettled } = read
  const doubts: [Doubt, boolean][] = [
    ['no_total', total === null],
    ['total_differs', total !== null && total !== counts.received],
    ['rejected', counts.rejected > 0],
    ['stale', counts.stale > 0],
    ['missing_unsettled', !isSettled],
  ]
  return doubts.flatMap(([doubt, holds]) => (holds ? [doubt] : []))
}
