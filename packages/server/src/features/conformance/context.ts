import { HubError } from '../../errors.ts'
import type { CallTarget, RawAnswer } from '../../outgoing/call-platform.ts'
import type { PlatformClient } from '../../outgoing/platform-client.ts'
import type { Section } from './section.ts'

export type ConformanceClient = Pick<
  PlatformClient,
  'ping' | 'fetchManifest' | 'openRecords' | 'search' | 'exchange'
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
): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, maxBytes = MAX_BYTES } = over
  const key = target.source_api_key
  const options = { method, key, headers, signal: shortly(signal), maxBytes }
  return client.exchange(target, path, options)
}

/** A call for which nobody waits longer. */
export function shortly(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(SHORT_CALL_MS)])
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
    return await part()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof HubError)) throw error
    section.findings.addError(error)
    return null
  }
}
