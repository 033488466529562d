/** How long the hub keeps what is not a record. */

import { daysFrom } from '../../lib/time/clock.ts'

/** What is dropped when it is old; a platform's records never are. */
export const RETENTION_NOUNS = [
  'activity',
  'manifest_changes',
  'history',
  'pulls',
  'rejected_pushes',
  'push_errors',
  'missing_reviews',
  'alerts',
  'counters',
  'audit',
] as const
export type RetentionNoun = (typeof RETENTION_NOUNS)[number]

/** How long each is kept, in days; 0 for ever. */
export type KeptDays = Readonly<Record<RetentionNoun, number>>

/** What is to be dropped: of each kind what is older than an instant (RFC 3339 in UTC). */
export function listCutoffs(kept: KeptDays, now: Date): { noun: RetentionNoun; before: string }[] {
  return RETENTION_NOUNS.filter((noun) => kept[noun] > 0).map((noun) => ({
    noun,
    before: daysFrom(now, -kept[noun]),
  }))
}

export const MOST_ROWS_A_STEP = 500
const FEWEST_ROWS_A_STEP = 20
const STEP_MS = 10

/** How many rows the next step drops, so that it takes about 10 ms: pushes wait for it. */
export function nextStepLimit(limit: number, tookMs: number): number {
  const fitting = Math.round((limit * STEP_MS) / Math.max(tookMs, 0.1))
  // A single slow step, such as one that waited for others, should not count for all.
  const near = Math.min(Math.max(fitting, Math.floor(limit / 2)), limit * 2)
  return Math.min(Math.max(near, FEWEST_ROWS_A_STEP), MOST_ROWS_A_STEP)
}
