import type { PullCounts } from '@recordhub/protocol'

export function noCounts(): PullCounts {
  return {
    ...{ received: 0, created: 0, updated: 0, unchanged: 0, stale: 0, held: 0, rejected: 0 },
    ...{ accepted: 0, missing: 0, not_listed: 0 },
  }
}

/** Why a pull was stopped before its end. */
export type PullStop = 'timed_out' | 'interrupted' | 'cancelled'

/** The counts above zero: "3 new, 1 changed, 20 unchanged". */
export function formatCounts(counts: PullCounts): string {
  const labels: [number, string][] = [
    [counts.created, 'new'],
    [counts.updated, 'changed'],
    [counts.unchanged, 'unchanged'],
    [counts.stale, 'older than a push'],
    [counts.held, 'held'],
    [counts.rejected, 'rejected'],
    [counts.accepted, counts.accepted === 1 ? 'accepted exception' : 'accepted exceptions'],
    [counts.missing, 'missing'],
    [counts.not_listed, 'not listed'],
  ]
  const texts = labels
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${count.toLocaleString('en-US')} ${label}`)
  return texts.length > 0 ? texts.join(', ') : 'no records'
}

/** Whether no element of a read is stored now. An accepted exception counts as stored. */
export function storesNothing(counts: PullCounts): boolean {
  const { created, updated, unchanged, stale, held, accepted } = counts
  return created + updated + unchanged + stale + held + accepted === 0
}

/** The minimum time for the rate of a module that has just started: its first records arrive in a burst. */
const MIN_SECONDS = 1

/** The time left of a shorter pull is not estimated: it would end before anyone has read the estimate. */
const MIN_ESTIMATED_SECONDS = 30

/** The stored progress of a pull. */
export type PullWork = {
  hasEnded: boolean
  tasksTotal: number
  tasksDone: number
  /** Tasks whose number of records is known: from the platform, from an earlier pull, or because they have ended. */
  known: { tasks: number; expected: number; done: number }
  /** The other tasks, and the records that they have received so far. */
  unknown: { tasks: number; received: number }
  /** Records received by all tasks. */
  received: number
  /** Since its start; null before it. */
  seconds: number | null
  /** The records that the running tasks have received, and the seconds since the first of them started; null for none. */
  running: { received: number; seconds: number } | null
  /** Whether each running task waits for a response. */
  isWaiting: boolean
}

type PullEstimate = {
  records_expected: number | null
  records_done: number | null
  percent: number | null
  records_per_second: number | null
  seconds_left: number | null
}

/**
 * Estimates the progress of a pull, weighted by records. A module whose number of records is unknown counts as the
 * average of the others. If no number is known, all modules count the same. A pull that has not ended is never at 100 %.
 *
 * The rate is the rate of the running tasks, since the rate of a fast platform does not predict that of a slow one.
 * Nothing predicts when a response begins.
 */
export function estimateProgress(work: PullWork): PullEstimate {
  const { hasEnded, received, seconds, running, isWaiting } = work
  const { expected, done } = estimateRecords(work)
  const rate = running
    ? running.received / Math.max(running.seconds, MIN_SECONDS)
    : seconds
      ? received / seconds
      : null
  const estimate = {
    records_expected: expected,
    records_done: done,
    records_per_second: rate === null ? null : Math.round(rate),
  }
  if (hasEnded) return { ...estimate, percent: 100, seconds_left: null }
  const share = shareOf(work, { expected, done })
  if (share === null) return { ...estimate, percent: null, seconds_left: null }
  return {
    ...estimate,
    percent: Math.min(99, Math.floor(100 * share)),
    seconds_left: estimateSecondsLeft({ expected, done, rate, share, seconds, isWaiting }),
  }
}

function estimateSecondsLeft(work: TimedWork & { isWaiting: boolean }): number | null {
  const left = calculateSecondsLeft(work)
  const isShort = left === null || (work.seconds ?? 0) + left < MIN_ESTIMATED_SECONDS
  return work.isWaiting || isShort ? null : left
}

type TimedWork = ReturnType<typeof estimateRecords> & {
  rate: number | null
  share: number
  seconds: number | null
}

/** Calculated from the rate, or without a rate from the completed share of the pull. */
function calculateSecondsLeft(work: TimedWork): number | null {
  const { expected, done, rate, share, seconds } = work
  if (expected !== null && done !== null && rate) return Math.ceil((expected - done) / rate)
  return seconds && share > 0 ? Math.ceil((seconds * (1 - share)) / share) : null
}

function estimateRecords({ known, unknown }: PullWork): {
  expected: number | null
  done: number | null
} {
  if (known.expected === 0) return { expected: null, done: null }
  const average = known.expected / known.tasks
  const others = Math.max(Math.round(average * unknown.tasks), unknown.received)
  return { expected: known.expected + others, done: known.done + unknown.received }
}

function shareOf(
  { tasksTotal, tasksDone }: PullWork,
  { expected, done }: ReturnType<typeof estimateRecords>,
): number | null {
  if (expected !== null && done !== null) return done / expected
  return tasksTotal === 0 ? null : tasksDone / tasksTotal
}
