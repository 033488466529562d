/** Whether a failed request to a platform is retried, and after which pause: pure. */

/** An attempt that failed with an HTTP status, or without a response. */
export type FailedAttempt =
  | { status: number; retry_after_ms: number | null }
  /** `closed`: the connection was closed before the response began. */
  | { network: 'refused' | 'closed' }

type RetryDecision =
  | { outcome: 'retry'; pause_ms: number }
  | { outcome: 'give_up' }
  /** The platform requests a pause of more than 60 s, or one that ends after the deadline. */
  | { outcome: 'too_long'; seconds: number }

/** 500 is not retryable: it usually indicates a defect, which fails again. */
const RETRYABLE = new Set([429, 502, 503, 504])
export const MAX_ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
/** Longer pauses would delay the end of the pull, for which other platforms wait. */
const MAX_PAUSE_MS = 60_000

/**
 * @param context `attempts`: how many were made; `left_ms`: the time until the deadline; `jitter`: from 0 to 1, prevents
 *   hubs and modules from retrying at the same time; `isOptional`: the request is retried only if the platform says when.
 */
export function decideRetry(
  failed: FailedAttempt,
  context: { attempts: number; left_ms: number; jitter: number; isOptional?: boolean },
): RetryDecision {
  if ('network' in failed && failed.network === 'closed') return decideAfterClose(context)
  const retry_after_ms = 'status' in failed ? failed.retry_after_ms : null
  if ('status' in failed && !RETRYABLE.has(failed.status)) return { outcome: 'give_up' }
  if (context.isOptional && retry_after_ms === null) return { outcome: 'give_up' }
  const maxPauseMs = Math.min(MAX_PAUSE_MS, context.left_ms)
  if (retry_after_ms !== null && retry_after_ms > maxPauseMs) {
    return { outcome: 'too_long', seconds: Math.ceil(retry_after_ms / 1000) }
  }
  if (context.attempts >= MAX_ATTEMPTS) return { outcome: 'give_up' }
  const backoff_ms = FIRST_PAUSE_MS * 2 ** (context.attempts - 1) * (0.5 + context.jitter / 2)
  const pause_ms = Math.round(retry_after_ms ?? backoff_ms)
  return pause_ms <= maxPauseMs ? { outcome: 'retry', pause_ms } : { outcome: 'give_up' }
}

/**
 * A platform may close an idle connection at the moment at which the hub sends a request on it, so a GET is sent again at
 * once (RFC 9110, section 9.2.2), but only once: the request itself may have crashed the platform.
 */
function decideAfterClose({ attempts, left_ms }: { attempts: number; left_ms: number }) {
  return attempts === 1 && left_ms > 0
    ? ({ outcome: 'retry', pause_ms: 0 } as const)
    : ({ outcome: 'give_up' } as const)
}

/** Why a request failed after all retries: the HTTP status, or the network error that prevented a complete response. */
export type RequestFailure =
  | { status: number }
  | { network: 'not_connected' | 'certificate_invalid' | 'no_response' | 'cut_off' }

/**
 * The statuses that concern the whole platform. 401 and 403 reject the key, and 429 limits the hub's requests, for every
 * module. 503 means that the platform is unavailable, and all retries have failed. 500, 502 and 504 may be caused by the
 * code or the query behind one endpoint.
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
