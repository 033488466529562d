/** Whether and when what the page reads is asked for again by itself. */
import { HubCallError } from './call-hub.ts'

const MOST_TRIES = 3
const LONGEST_MS = 30_000
/** It did not answer, takes no more for now, or has something to wait for itself. */
const PASSING: readonly number[] = [0, 429, 503]

/** The operator decides about what the hub refused; what it could not answer now may work in a moment. */
export function mayTryAgain(failures: number, error: unknown): boolean {
  return (
    failures < MOST_TRIES &&
    error instanceof HubCallError &&
    PASSING.includes(error.status) &&
    error.retryAfterSeconds * 1000 <= LONGEST_MS
  )
}

/** Milliseconds: longer each time, and never before the hub wants to be asked. */
export function pauseBeforeTry(failures: number, error: unknown): number {
  const asked = error instanceof HubCallError ? error.retryAfterSeconds * 1000 : 0
  return Math.max(asked, Math.min(1000 * 2 ** failures, LONGEST_MS))
}
