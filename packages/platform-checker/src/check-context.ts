/** The context that all steps of a check share: the platform, the limits, and how requests are sent. */
import { setTimeout } from 'node:timers/promises'
import type {
  CheckClient,
  CheckTarget,
  HubRules,
  PlatformError,
  PlatformResponse,
  SendOptions,
} from './hub.ts'
import type { Section } from './section.ts'

export type CheckContext = {
  client: CheckClient
  rules: HubRules
  target: CheckTarget
  /** Aborted by the caller, or when the time limit of the check is over. */
  signal: AbortSignal
  maxRecords: number
  maxSeconds: number
}

const SHORT_REQUEST_MS = 30_000
/** Enough of a response to validate it. */
const MAX_BYTES = 8 * 1024 * 1024

/** Sends a request with the right key, and returns any response. */
export function sendRequest(
  { client, target, signal }: CheckContext,
  path: string,
  over: Partial<Pick<SendOptions, 'method' | 'headers' | 'maxBytes'>> = {},
): Promise<PlatformResponse> {
  return client.send(target, path, {
    ...{ method: 'GET', headers: {}, maxBytes: MAX_BYTES, ...over },
    key: target.source_api_key,
    signal: withShortTimeout(signal),
  })
}

export function withShortTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(SHORT_REQUEST_MS)])
}

/** Runs a step of a check, and runs it again after a delay while the platform limits the rate of requests. */
export async function withRetry<Result>(
  { rules, signal }: Pick<CheckContext, 'rules' | 'signal'>,
  { findings }: Section,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await step()
    } catch (error) {
      const delay = rules.retryDelay(error, attempts)
      if (delay === null) throw error
      findings.add('check.throttled')
      await setTimeout(delay, undefined, { signal, ref: false }).catch(() => undefined)
      signal.throwIfAborted()
    }
  }
}

/**
 * Runs a step of a check; an error of the platform becomes a finding.
 * @returns null after an error of the platform.
 * @throws all other errors, and the reason of the signal.
 */
export async function attempt<Result>(
  context: CheckContext,
  section: Section,
  step: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await withRetry(context, section, step)
  } catch (error) {
    section.findings.addError(toPlatformError(context, error))
    return null
  }
}

/** @throws the reason of the signal, and errors that are not the platform's. */
export function toPlatformError(
  { rules, signal }: Pick<CheckContext, 'rules' | 'signal'>,
  error: unknown,
): PlatformError {
  signal.throwIfAborted()
  const platformError = rules.toPlatformError(error)
  if (platformError === null) throw error
  return platformError
}
