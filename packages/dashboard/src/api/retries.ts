/** Whether and when queries are retried automatically. */
import { HubCallError } from './call-hub.ts'

const MAX_RETRIES = 3
const MAX_DELAY_MS = 30_000
const TOO_MANY_REQUESTS = 429
/** No response (0), or an error of a proxy or of the hub that is expected to be temporary. */
const UNAVAILABLE: readonly number[] = [0, 502, 503, 504]

/** Whether the hub was unavailable, so that the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof HubCallError && UNAVAILABLE.includes(error.status)
}

/** Whether the hub may respond to the same request when it is available again, or accepts requests again. */
export function isTemporary(error: unknown): error is HubCallError {
  return (
    error instanceof HubCallError && (isUnavailable(error) || error.status === TOO_MANY_REQUESTS)
  )
}

/** The error to show instead of a query's data; null if older data can stay visible until the hub is available. */
export function errorInPlaceOfData<Failure>(query: {
  data: unknown
  error: Failure | null
}): Failure | null {
  return query.data !== undefined && isUnavailable(query.error) ? null : query.error
}

/** Temporary errors are retried. Rejected requests are not: the operator has to decide. */
export function shouldRetry(failures: number, error: unknown): boolean {
  return (
    failures < MAX_RETRIES && isTemporary(error) && error.retryAfterSeconds * 1000 <= MAX_DELAY_MS
  )
}

/** Exponential backoff in milliseconds, never shorter than `Retry-After`. */
export function retryDelay(failures: number, error: unknown): number {
  const retryAfter = error instanceof HubCallError ? error.retryAfterSeconds * 1000 : 0
  return Math.max(retryAfter, Math.min(1000 * 2 ** failures, MAX_DELAY_MS))
}
