/** How long the indexing of records pauses, so that pushes come first: pure. */

/** The pause after a step, as a multiple of its duration. */
export type PauseRatio = {
  idle: number
  /** While platforms push. */
  withPushes: number
  /** While platforms push, once the index has been behind for {@link MAX_BEHIND_MS}. */
  late: number
}

type Step = {
  /** Whether it had all changes. */
  isComplete: boolean
  tookMs: number
  /** The time since the last complete step. */
  behindMs: number
  hasPushes: boolean
}

/** A small step costs nearly as much as a full one, so changes are collected for this time. */
const COLLECT_MS = 250
/** For so long, pushes have nearly all of the processor time. */
export const MAX_BEHIND_MS = 60_000

/** Returns the pause after a step in milliseconds. */
export function pauseAfter(
  { isComplete, tookMs, behindMs, hasPushes }: Step,
  { idle, withPushes, late }: PauseRatio,
): number {
  const ofPushes = behindMs > MAX_BEHIND_MS ? late : withPushes
  const pause = tookMs * (hasPushes ? ofPushes : idle)
  return isComplete ? Math.max(COLLECT_MS, pause) : pause
}
