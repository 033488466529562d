/** The conformance check of pushes with short time limits, and pushes to its receiver. */
import { ReadComparison } from '@recordhub/platform-checker'
import type { CheckedEndpoint } from '@recordhub/protocol'
import { checkPushesOfPlatform } from '../../../src/cli/check-platform-standalone.ts'
import { readConfig } from '../../../src/config/config.ts'
import { simulatedModule } from './platform.ts'

export const OBSERVATION_MS = 1000
export const MODULE = simulatedModule('cases', { keys: ['status', 'closed_at'] })
export const LISTED_REFERENCE = 'LISTED-1'

export type TestReceiver = {
  address: string
  hubApiKey: string
  stop: () => Promise<CheckedEndpoint>
}

/** A clock that a test advances. */
export function createManualClock() {
  let now = 0
  return {
    now: () => now,
    advance: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

/**
 * Starts a check with a receiver on a free port. `checked` resolves when the check is complete, or when `stop` stops it.
 * @param now the clock of the check; by default that of the machine.
 */
export async function startPushCheck(
  now = () => performance.now(),
): Promise<TestReceiver & { checked: Promise<CheckedEndpoint> }> {
  const { config } = readConfig({ flags: { PORT: '0' }, environment: {}, envFile: {} })
  const abort = new AbortController()
  const listed = new ReadComparison()
  listed.addFirst(LISTED_REFERENCE, { full_name: 'Listed', data: {} })
  const opening = Promise.withResolvers<{ address: string; hubApiKey: string }>()
  const options = {
    limits: { retryAfterSeconds: 1, observationMs: OBSERVATION_MS },
    now,
    onOpen: (address: string, hubApiKey: string) => opening.resolve({ address, hubApiKey }),
    onPush: () => undefined,
  }
  const checked = checkPushesOfPlatform(config, options, {
    platform: { platform_name: 'pushing', display_title: 'Pushing' },
    modules: new Map([[MODULE, listed]]),
    signal: abort.signal,
  })
  checked.catch(opening.reject)
  const receiver = await opening.promise
  const stop = () => {
    abort.abort()
    return checked
  }
  return { ...receiver, checked, stop }
}

type PushResult = { status: number | null; retryAfter: string | null }
export type SendPush = (
  method: 'POST' | 'PATCH',
  body: unknown,
  overrides?: { headers?: Record<string, string | null>; text?: string },
) => Promise<PushResult>

/** By default, the pushes are valid. `status` is null if the receiver closed the connection. */
export function createSendPush({ address, hubApiKey }: TestReceiver): SendPush {
  return async (method, body, { headers = {}, text = JSON.stringify(body) } = {}) => {
    const defaults = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'X-API-KEY': hubApiKey,
      'ngrok-skip-browser-warning': 'true',
      ...headers,
    }
    const present = Object.entries(defaults).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    try {
      const response = await fetch(`${address}/api/webhook/receive`, {
        ...{ method, headers: present, body: text },
      })
      await response.text()
      return { status: response.status, retryAfter: response.headers.get('retry-after') }
    } catch {
      return { status: null, retryAfter: null }
    }
  }
}

export function newRecord(number: number, overrides: object = {}) {
  return {
    ...{ record_type: 'cases', module_name: MODULE.module_name, full_name: `Person ${number}` },
    reference_number: `N-${number}`,
    data: { status: `open ${number}`, closed_at: null },
    occurred_at: new Date().toISOString(),
    ...overrides,
  }
}

export function newChange(number: number, data: object, overrides: object = {}) {
  const { record_type, reference_number, occurred_at } = newRecord(number)
  return { record_type, reference_number, occurred_at, data, ...overrides }
}
