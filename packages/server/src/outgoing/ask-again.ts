import type { Dispatcher } from 'undici'
import { concernsPlatform, decideRetry, type RequestFault } from '../domain/retry.ts'
import { HubError } from '../errors.ts'
import { discardBody } from './discard-body.ts'
import { codeOf, retryAfterOf } from './outgoing-error.ts'
import type { Patience } from './patience.ts'
import { headerOf } from './response-header.ts'

type Answer = Dispatcher.ResponseData
type Asked = { answer: Answer } | { error: unknown }

/**
 * Makes a request, and makes it again where that is of use, as `decideRetry` says. The body of an
 * answer that it hands out has not been touched.
 * @param options `endsAt`: when the time is over, by `performance.now()`.
 * @throws HubError `platform_busy` where the platform asks for a longer pause than there is time for.
 */
export async function askAgain(
  ask: () => Promise<Answer>,
  options: { path: string; signal: AbortSignal; endsAt: number; patience: Pick<Patience, 'pause'> },
): Promise<Answer> {
  const { path, signal, endsAt, patience } = options
  for (let tries = 1; ; tries++) {
    const asked: Asked = await ask().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    const fault = faultOf(asked)
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
    if (!(await patience.pause(decision.pause_ms, signal))) {
      const reason = 'the pull ended while the hub waited to ask again'
      throw new HubError('platform_timed_out', { reason })
    }
  }
}

/** Null for what needs no thought: an answer as it should be, or a fault that is no refusal. */
function faultOf(asked: Asked): RequestFault | null {
  if ('error' in asked) {
    return codeOf(asked.error) === 'ECONNREFUSED' ? { status: null, retry_after_ms: null } : null
  }
  const { statusCode: status, headers } = asked.answer
  if (status < 400) return null
  return { status, retry_after_ms: retryAfterOf((name) => headerOf(headers, name)) }
}

function unwrap(asked: Asked): Answer {
  if ('error' in asked) throw asked.error
  return asked.answer
}
