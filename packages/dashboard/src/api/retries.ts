/** Whether and when what the page reads is asked for again by itself. */
import { HubCallError } from './call-hub.ts'

const MOST_TRIES = 3
const LONGEST_MS = 30_000
const TOO_MANY_REQUESTS = 429
/** It did not respond, a proxy says so, or it waits for something itself. */
const UNAVAILABLE: readonly number[] = [0, 502, 503, 504]

/** Whether the hub was unavailable, so that the same request works once it is back. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof HubCallError && UNAVAILABLE.includes(error.status)
}

/** The error to show in place of a query's data: none where older data can stay until the hub is back. */
export function errorInPlaceOfData<Failure>(query: {
  data: unknown
  error: Failure | null
}): Failure | null {
  return query.data !== undefined && isUnavailable(query.error) ? null : query.error
}

/** The operator decides about what the hub refused; what it could not answer now may work in a moment. */
export function mayTryAgain(failures: number, error: unknown): boolean {
  return (
    failures < MOST_TRIES &&
    error instanceof HubCallError &&
    (isUnavailable(error) || error.status === TOO_MANY_REQUESTS) &&
    error.retryAfterSeconds * 1000 <= LONGEST_MS
  )
}

/** Milliseconds: longer each time, and never before the hub wants to be asked. */
export function pauseBeforeTry(failures: number, error: unknown): number {
  const asked = error instanceof HubCallError ? error.retryAfterSeconds * 1000 : 0
  return Math.max(asked, Math.min(1000 * 2 ** failures, LONGEST_MS))
}
