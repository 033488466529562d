/** How long the hub stores data other than records. */
import { daysFrom } from '../../lib/time/clock.ts'

/** The kinds of data that expire. Records never do. */
export const RETENTION_NOUNS = [
  'activity',
  'manifest_changes',
  'history',
  'pulls',
  'reverts',
  'rejected_pushes',
  'push_errors',
  'requests',
  'missing_reviews',
  'alerts',
  'counters',
  'audit',
] as const
export type RetentionNoun = (typeof RETENTION_NOUNS)[number]

/** The number of days after which each kind is deleted; 0 for never. */
export type RetentionDays = Readonly<Record<RetentionNoun, number>>

/** The kinds that expire, each with the time (RFC 3339 in UTC) before which its rows are deleted. */
export function listCutoffs(
  days: RetentionDays,
  now: Date,
): { noun: RetentionNoun; before: string }[] {
  return RETENTION_NOUNS.filter((noun) => days[noun] > 0).map((noun) => ({
    noun,
    before: daysFrom(now, -days[noun]),
  }))
}

export const MAX_ROWS_PER_STEP = 500
const MIN_ROWS_PER_STEP = 20
const STEP_MS = 10

/** The number of rows that the next step deletes, so that it takes about 10 ms: pushes wait for it. */
export function nextStepLimit(limit: number, tookMs: number): number {
  const fitting = Math.round((limit * STEP_MS) / Math.max(tookMs, 0.1))
  // Changes by at most a factor of two, so that one slow step does not determine the next ones.
  const bounded = Math.min(Math.max(fitting, Math.floor(limit / 2)), limit * 2)
  return Math.min(Math.max(bounded, MIN_ROWS_PER_STEP), MAX_ROWS_PER_STEP)
}
