import type { Dispatcher } from 'undici'
import { concernsPlatform, decideRetry, type FailedAttempt } from '../../domain/pull/retry.ts'
import { HubError } from '../../errors.ts'
import type { MetricsRegistry } from '../../lib/metrics/registry.ts'
import { withPlatformMessage } from './error-message.ts'
import { codeOf, retryAfterOf } from './request-error.ts'
import { discardBody, headerOf, type PlatformTimeouts } from './timeouts.ts'

/** The connection was closed while the hub waited for the response. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

type Response = Dispatcher.ResponseData
type Attempt = { response: Response } | { error: unknown }

/**
 * Sends a request, and retries it as `decideRetry` decides. The body of the returned response has not been read.
 *
 * p-retry cannot replace this loop: it computes every delay itself, so it can neither use a Retry-After, nor give up at
 * once when the platform requests too long a pause. It retries only errors, not responses.
 * @param options `retryUntil`: the deadline for retries, in the time of `performance.now()`.
 * @throws HubError `platform_busy` when the platform requests a pause of more than 60 s, or one that ends after the
 *   deadline.
 */
export async function requestWithRetry(
  send: () => Promise<Response>,
  options: {
    url: URL
    path: string
    /** The source key, which is removed from messages of the platform. */
    key: string
    signal: AbortSignal
    retryUntil: number
    /** As for `decideRetry`. */
    isOptional: boolean
    timeouts: PlatformTimeouts
    /** Called before each retry with the attempt that failed. */
    onRetry: (failed: FailedAttempt) => void
  },
): Promise<Response> {
  const { path, signal, retryUntil, isOptional, timeouts, onRetry } = options
  for (let attempts = 1; ; attempts++) {
    const attempt: Attempt = await send().then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    )
    const failed = toFailedAttempt(attempt)
    if (!failed) return unwrap(attempt)
    const left_ms = retryUntil - performance.now()
    const decision = decideRetry(failed, { attempts, left_ms, jitter: Math.random(), isOptional })
    if (decision.outcome === 'give_up') return unwrap(attempt)
    if (decision.outcome === 'too_long') {
      const { seconds } = decision
      const status = 'status' in failed ? failed.status : null
      const scope = { concernsPlatform: status !== null && concernsPlatform({ status }) }
      const error = new HubError('platform_busy', { status: status ?? '', path, seconds }, scope)
      if (!('response' in attempt)) throw error
      throw await withPlatformMessage(error, attempt.response, options)
    }
    if ('response' in attempt) await discardBody(attempt.response.body)
    if (!(await timeouts.pause(decision.pause_ms, signal))) {
      const reason = 'the pull ended before the request was retried'
      throw new HubError('platform_timed_out', { reason })
    }
    onRetry(failed)
  }
}

/** Null for a response without an error, and for a network error that is not retried. */
function toFailedAttempt(attempt: Attempt): FailedAttempt | null {
  if ('error' in attempt) {
    const code = codeOf(attempt.error)
    if (code === 'ECONNREFUSED') return { network: 'refused' }
    return CLOSED.has(code) ? { network: 'closed' } : null
  }
  const { statusCode: status, headers } = attempt.response
  if (status < 400) return null
  return { status, retry_after_ms: retryAfterOf((name) => headerOf(headers, name)) }
}

function unwrap(attempt: Attempt): Response {
  if ('error' in attempt) throw attempt.error
  return attempt.response
}

export type RequestMetrics = {
  /** @param status null if there was no response. */
  countResponse: (status: number | null) => void
  /** @param failed the attempt before the retry. */
  countRetry: (failed: FailedAttempt) => void
}

const RESULTS = ['2xx', '3xx', '4xx', '5xx', 'no_response'] as const
const REASONS = ['429', '502', '503', '504', 'refused', 'closed'] as const

/** The metrics of requests to platforms. */
export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const requests = registry.counters({
    name: 'recordhub_platform_requests_total',
    help: 'Requests to platforms by the class of the response status. Each retry is a request.',
    ...{ label: 'result', values: RESULTS },
  })
  const retries = registry.counters({
    name: 'recordhub_platform_request_retries_total',
    help: 'Retries of requests to platforms, by the status of the failed attempt. refused, closed: the platform refused or closed the connection.',
    ...{ label: 'reason', values: REASONS },
  })
  return {
    countResponse(status) {
      const result = RESULTS.find((one) => one[0] === String(status)[0])
      requests[status === null ? 'no_response' : (result ?? '5xx')].add()
    },
    countRetry(failed) {
      const found = 'network' in failed ? failed.network : String(failed.status)
      const reason = REASONS.find((one) => one === found)
      if (reason) retries[reason].add()
    },
  }
}
