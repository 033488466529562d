import type { PullCounts } from '@recordhub/protocol'

export function noCounts(): PullCounts {
  return { received: 0, created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0, missing: 0 }
}

/** Why a pull was broken off before its end. */
export type PullStop = 'timed_out' | 'interrupted' | 'cancelled'

/** The counts that are worth telling: "3 new, 1 changed, 20 unchanged". */
export function countsInWords(counts: PullCounts): string {
  const words: [number, string][] = [
    [counts.created, 'new'],
    [counts.updated, 'changed'],
    [counts.unchanged, 'unchanged'],
    [counts.stale, 'older than what was pushed'],
    [counts.rejected, 'rejected'],
    [counts.missing, 'gone'],
  ]
  const told = words
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString('en-US')} ${word}`)
  return told.length > 0 ? told.join(', ') : 'no records'
}

/** What is known of the work of a pull. */
export type PullWork = {
  isOver: boolean
  tasksTotal: number
  tasksDone: number
  /** Records that all tasks are to bring; null where that is not known of each. */
  expected: number | null
  /** How many of those are done with. */
  done: number
  received: number
  /** Since its start; null before it. */
  seconds: number | null
}

/**
 * How far a pull is: by its records where their number is known, else by its tasks. It is not said to be
 * done before it is over.
 */
export function estimateProgress(work: PullWork): {
  percent: number | null
  records_per_second: number | null
  seconds_left: number | null
} {
  const { isOver, expected, done, received, seconds } = work
  const rate = seconds !== null && seconds > 0 ? received / seconds : null
  const isKnown = !isOver && expected !== null && rate !== null && rate > 0
  return {
    percent: percentOf(work),
    records_per_second: rate === null ? null : Math.round(rate),
    seconds_left: isKnown ? Math.ceil((expected - done) / rate) : null,
  }
}

function percentOf({ isOver, expected, done, tasksTotal, tasksDone }: PullWork): number | null {
  if (isOver) return 100
  if (tasksTotal === 0) return null
  const share = expected ? done / expected : tasksDone / tasksTotal
  return Math.min(99, Math.floor(100 * share))
}
