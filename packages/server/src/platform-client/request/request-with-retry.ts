import type { Dispatcher } from 'undici'
import { concernsPlatform, decideRetry, type RequestFault } from '../../domain/retry.ts'
import { HubError } from '../../errors.ts'
import { discardBody } from './discard-body.ts'
import { codeOf, retryAfterOf } from './request-error.ts'
import { headerOf } from './response-header.ts'
import type { PlatformTimeouts } from './timeouts.ts'

type Response = Dispatcher.ResponseData
type Attempt = { answer: Response } | { error: unknown }

/**
 * Makes a request, and makes it again where that is of use, as `decideRetry` says. The body of an
 * answer that it hands out has not been touched.
 * @param options `endsAt`: when the time is over, by `performance.now()`.
 * @throws HubError `platform_busy` where the platform asks for a longer pause than there is time for.
 */
export async function requestWithRetry(
  ask: () => Promise<Response>,
  options: {
    path: string
    signal: AbortSignal
    endsAt: number
    timeouts: Pick<PlatformTimeouts, 'pause'>
  },
): Promise<Response> {
  const { path, signal, endsAt, timeouts } = options
  for (let tries = 1; ; tries++) {
    const asked: Attempt = await ask().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    const fault = toRequestFault(asked)
    if (!fault) return unwrap(asked)
    const left_ms = endsAt - performance.now()
    const decision = decideRetry(fault, { tries, left_ms, chance: Math.random() })
    if (decision.outcome === 'give_up') return unwrap(asked)
    if ('answer' in asked) await discardBody(asked.answer.body)
    if (decision.outcome === 'asked_to_wait') {
      const { seconds } = decision
      const { status } = fault
      const scope = { concernsPlatform: status !== null && concernsPlatform({ status }) }
      throw new HubError('platform_busy', { status: status ?? '', path, seconds }, scope)
    }
    if (!(await timeouts.pause(decision.pause_ms, signal))) {
      const reason = 'the pull ended while the hub waited to ask again'
      throw new HubError('platform_timed_out', { reason })
    }
  }
}

/** Null for what needs no thought: an answer as it should be, or a fault that is no refusal. */
function toRequestFault(asked: Attempt): RequestFault | null {
  if ('error' in asked) {
    return codeOf(asked.error) === 'ECONNREFUSED' ? { status: null, retry_after_ms: null } : null
  }
  const { statusCode: status, headers } = asked.answer
  if (status < 400) return null
  return { status, retry_after_ms: retryAfterOf((name) => headerOf(headers, name)) }
}

function unwrap(asked: Attempt): Response {
  if ('error' in asked) throw asked.error
  return asked.answer
}
