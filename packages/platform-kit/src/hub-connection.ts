import { HUB_KEY_HEADER, RECEIVER_PATH } from '@recordhub/protocol/constants'
import { hubEndpoint } from '@recordhub/protocol/hub-address'
import { retryAfterMs, type SendResult } from './classify-response.ts'
import type { Push } from './push.ts'
import { isHeaderValue } from './text.ts'

export type HubAddress = {
  /** The address of the hub: `https://hub.example.org`, also with the path of its receiver. */
  hubUrl: string
  /** The hub API key of this platform. */
  hubApiKey: string
  /** The header that suppresses the warning page of a tunnel. */
  tunnelHeader?: string
  /** Maximum time for a response; 10 s by default. */
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
}

/**
 * Creates the function that sends a push. It never throws: failures are part of its result.
 * @throws Error for an invalid address or key.
 */
export function connectToHub(hub: HubAddress): (push: Push) => Promise<SendResult> {
  const { hubUrl, hubApiKey, timeoutMs = 10_000, fetch = globalThis.fetch } = hub
  const target = hubEndpoint(hubUrl, RECEIVER_PATH)
  if (target === null) throw new Error(`hubUrl is not an http address: ${hubUrl}`)
  if (typeof hubApiKey !== 'string' || !isHeaderValue(hubApiKey)) {
    throw new Error('hubApiKey is missing or contains invalid characters.')
  }
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    [HUB_KEY_HEADER]: hubApiKey,
    [hub.tunnelHeader ?? 'ngrok-skip-browser-warning']: 'true',
  }
  return async ({ method, body }) => {
    try {
      // A redirect would send the key to another server.
      const redirect = 'manual'
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(target, { method, headers, body, redirect, signal })
      return {
        responded: true,
        url: target,
        status: response.status,
        retryAfterMs: retryAfterMs(response.headers),
        body: readObject(await response.text()),
      }
    } catch (error) {
      return { responded: false, reason: reasonOf(error, timeoutMs) }
    }
  }
}

function readObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** The message of `fetch` is only `fetch failed`, so the message of its cause is used. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `The hub did not respond within ${timeoutMs} ms.`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return `The hub could not be reached: ${cause.message || code || error.message}`
}
