import type { Clock } from './clock.ts'

/** A clock that is set forward meanwhile seems to show that more time has passed, by this time at most. */
const MAX_CLOCK_CHANGE_MS = 60_000

/** Starts to measure a time. @returns a function that returns the milliseconds since then. */
export function startStopwatch(clock: Clock): () => number {
  const begun = clock.now().getTime()
  const begunAt = performance.now()
  return () => {
    const most = performance.now() - begunAt + MAX_CLOCK_CHANGE_MS
    return Math.min(Math.max(0, clock.now().getTime() - begun), most)
  }
}
