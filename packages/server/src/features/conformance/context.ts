import { decideRetry } from '../../domain/pull/retry.ts'
import { HubError } from '../../errors.ts'
import { sleep } from '../../lib/time/run-periodically.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import { toThrottledError } from '../../platform-client/request/request-error.ts'
import type {
  CallTarget,
  RawRequestOptions,
  RawResponse,
} from '../../platform-client/request/send-request.ts'
import type { Section } from './section.ts'

export type ConformanceClient = Pick<
  PlatformClient,
  'ping' | 'fetchManifest' | 'openRecords' | 'search' | 'sendRaw'
>

/** What every part of a check goes by. */
export type CheckContext = {
  client: ConformanceClient
  target: CallTarget
  /** Aborted when whoever asked has left, or the time is over. */
  signal: AbortSignal
  maxRecords: number
  maxSeconds: number
}

const SHORT_CALL_MS = 30_000
/** Enough of an answer to judge it. */
const MAX_BYTES = 8 * 1024 * 1024

/** Calls a path with the right key, for the looks of the answer. */
export function look(
  { client, target, signal }: CheckContext,
  path: string,
  over: { method?: 'GET' | 'HEAD'; headers?: Record<string, string>; maxBytes?: number } = {},
): Promise<RawResponse> {
  const { method = 'GET', headers = {}, maxBytes = MAX_BYTES } = over
  const key = target.source_api_key
  const options = { method, key, headers, signal: shortly(signal), maxBytes }
  return exchange({ client, target }, path, options)
}

/**
 * Calls a path with any key, for the looks of the answer.
 * @throws HubError `platform_throttled` for a 429, which says nothing of how it answers.
 */
export async function exchange(
  { client, target }: Pick<CheckContext, 'client' | 'target'>,
  path: string,
  options: RawRequestOptions,
): Promise<RawResponse> {
  const answer = await client.sendRaw(target, path, options)
  if (answer.status === 429) throw toThrottledError(answer.path, answer.header)
  return answer
}

/** A call for which nobody waits longer. */
export function shortly(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(SHORT_CALL_MS)])
}

/** Does a part of a check, and does it again where the platform is called too often for it and asks for a pause. */
export async function waitAsAsked<Result>(
  signal: AbortSignal,
  { findings }: Section,
  part: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await part()
    } catch (error) {
      const pause_ms = pauseAfter(error, tries)
      if (pause_ms === null) throw error
      findings.add('check.throttled')
      await sleep(pause_ms, signal)
      signal.throwIfAborted()
    }
  }
}

function pauseAfter(error: unknown, tries: number): number | null {
  if (!(error instanceof HubError) || error.code !== 'platform_throttled') return null
  const { retryAfterSeconds: seconds } = error
  const fault = { status: 429, retry_after_ms: seconds === undefined ? null : seconds * 1000 }
  const decision = decideRetry(fault, { attempts: tries, left_ms: Infinity, jitter: Math.random() })
  return decision.outcome === 'retry' ? decision.pause_ms : null
}

/**
 * Does a part of a check; what a call in it comes to is a finding.
 * @returns null where it ended so.
 * @throws what is no fault of the platform, and whatever ends the whole check.
 */
export async function attempt<Result>(
  { signal }: CheckContext,
  section: Section,
  part: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await waitAsAsked(signal, section, part)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof HubError)) throw error
    section.findings.addError(error)
    return null
  }
}
