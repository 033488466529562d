import type { Dispatcher } from 'undici'
import { concernsPlatform, decideRetry, type RequestFault } from '../../domain/pull/retry.ts'
import { HubError } from '../../errors.ts'
import { discardBody } from './discard-body.ts'
import { codeOf, retryAfterOf } from './request-error.ts'
import { headerOf } from './response-header.ts'
import type { PlatformTimeouts } from './timeouts.ts'

type Response = Dispatcher.ResponseData
type Attempt = { response: Response } | { error: unknown }

/**
 * Sends a request, and retries it as `decideRetry` decides. The body of the returned response has not been read.
 * @param options `endsAt`: the deadline, in the time of `performance.now()`.
 * @throws HubError `platform_busy` when the platform requests a pause that ends after the deadline.
 */
export async function requestWithRetry(
  send: () => Promise<Response>,
  options: {
    path: string
    signal: AbortSignal
    endsAt: number
    timeouts: Pick<PlatformTimeouts, 'pause'>
  },
): Promise<Response> {
  const { path, signal, endsAt, timeouts } = options
  for (let tries = 1; ; tries++) {
    const attempt: Attempt = await send().then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    )
    const fault = toRequestFault(attempt)
    if (!fault) return unwrap(attempt)
    const left_ms = endsAt - performance.now()
    const decision = decideRetry(fault, { tries, left_ms, chance: Math.random() })
    if (decision.outcome === 'give_up') return unwrap(attempt)
    if ('response' in attempt) await discardBody(attempt.response.body)
    if (decision.outcome === 'asked_to_wait') {
      const { seconds } = decision
      const { status } = fault
      const scope = { concernsPlatform: status !== null && concernsPlatform({ status }) }
      throw new HubError('platform_busy', { status: status ?? '', path, seconds }, scope)
    }
    if (!(await timeouts.pause(decision.pause_ms, signal))) {
      const reason = 'the pull ended before the request was retried'
      throw new HubError('platform_timed_out', { reason })
    }
  }
}

/** Null for a response without an error, and for a network error other than a refused connection. */
function toRequestFault(attempt: Attempt): RequestFault | null {
  if ('error' in attempt) {
    return codeOf(attempt.error) === 'ECONNREFUSED' ? { status: null, retry_after_ms: null } : null
  }
  const { statusCode: status, headers } = attempt.response
  if (status < 400) return null
  return { status, retry_after_ms: retryAfterOf((name) => headerOf(headers, name)) }
}

function unwrap(attempt: Attempt): Response {
  if ('error' in attempt) throw attempt.error
  return attempt.response
}
