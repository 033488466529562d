/** Whether a request that a platform did not answer is made again, and after which pause. */

/** A request that failed: the HTTP status, or null where the connection was refused. */
export type RequestFault = { status: number | null; retry_after_ms: number | null }

export type RetryDecision =
  | { outcome: 'retry'; pause_ms: number }
  | { outcome: 'give_up' }
  /** The platform asks for a longer pause than there is time for. */
  | { outcome: 'asked_to_wait'; seconds: number }

/** Not 500: what a defect answers once it answers again, and asking again does harm. */
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504])
export const MAX_TRIES = 4
const FIRST_PAUSE_MS = 500
/** No longer: all other platforms wait for the end of the pull. */
const MAX_PAUSE_MS = 60_000

/**
 * @param context `tries` is how many were made; `left_ms`, how much time there is; `chance`, from 0 to
 *   1, keeps hubs and modules from asking in step.
 */
export function decideRetry(
  { status, retry_after_ms }: RequestFault,
  context: { tries: number; left_ms: number; chance: number },
): RetryDecision {
  if (status !== null && !WORTH_ANOTHER_TRY.has(status)) return { outcome: 'give_up' }
  const most = Math.min(MAX_PAUSE_MS, context.left_ms)
  if (retry_after_ms !== null && retry_after_ms > most) {
    return { outcome: 'asked_to_wait', seconds: Math.ceil(retry_after_ms / 1000) }
  }
  if (context.tries >= MAX_TRIES) return { outcome: 'give_up' }
  const growing = FIRST_PAUSE_MS * 2 ** (context.tries - 1) * (0.5 + context.chance / 2)
  const pause_ms = Math.round(retry_after_ms ?? growing)
  return pause_ms <= most ? { outcome: 'retry', pause_ms } : { outcome: 'give_up' }
}

/** Why a request failed after all retries: the HTTP status, or what went wrong without a complete response. */
export type RequestFailure =
  | { status: number }
  | { network: 'not_connected' | 'certificate_invalid' | 'no_response' | 'cut_off' }

/**
 * 401 and 403 reject the key, and 429 limits the hub's requests, whichever module they are for. A 503 has persisted
 * over all retries, or asks for a longer pause than there is time for. 500, 502 and 504 may be due to the code or the
 * query behind one endpoint.
 */
const STATUSES_OF_PLATFORM = new Set([401, 403, 429, 503])

/**
 * Whether a failed request concerns the whole platform. The next module is then requested only once, so that a
 * platform that is down does not delay the others. A response that was cut off or stalled, or that has the wrong
 * content or any other status, concerns one module.
 */
export function concernsPlatform(failure: RequestFailure): boolean {
  if ('status' in failure) return STATUSES_OF_PLATFORM.has(failure.status)
  return failure.network !== 'cut_off'
}
