import { HUB_KEY_HEADER, RECEIVER_PATH } from '@recordhub/protocol/constants'
import { retryAfterMs, type SendResult } from './delivery.ts'
import type { Push } from './push.ts'
import { isHeaderValue } from './text.ts'

export type HubAddress = {
  /** The address of the hub: `https://hub.example.org`. */
  hubUrl: string
  /** The key that the hub made for this platform. */
  hubApiKey: string
  /** The header that keeps a tunnel from answering with a page of its own. */
  tunnelHeader?: string
  /** How long an answer may take; 10 s where it is left out. */
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
}

/**
 * Sends pushes, whatever becomes of them: the function that it returns never throws.
 * @throws Error for an address or a key that can be none.
 */
export function connectToHub(hub: HubAddress): (push: Push) => Promise<SendResult> {
  const { hubUrl, hubApiKey, timeoutMs = 10_000, fetch = globalThis.fetch } = hub
  if (!URL.canParse(hubUrl) || !/^https?:/i.test(hubUrl)) {
    throw new Error(`hubUrl is no http address: ${hubUrl}`)
  }
  const { origin, pathname } = new URL(hubUrl)
  const target = origin + pathname.replace(/\/+$/, '') + RECEIVER_PATH
  if (typeof hubApiKey !== 'string' || !isHeaderValue(hubApiKey)) {
    throw new Error('hubApiKey is missing, or holds what no key holds.')
  }
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    [HUB_KEY_HEADER]: hubApiKey,
    [hub.tunnelHeader ?? 'ngrok-skip-browser-warning']: 'true',
  }
  return async ({ method, body }) => {
    try {
      // The key must not travel elsewhere.
      const redirect = 'manual'
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(target, { method, headers, body, redirect, signal })
      return {
        answered: true,
        status: response.status,
        retryAfterMs: retryAfterMs(response.headers),
        body: readObject(await response.text()),
      }
    } catch (error) {
      return { answered: false, reason: reasonOf(error, timeoutMs) }
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

/** `fetch failed` says nothing; what is behind it does. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `The hub did not answer within ${timeoutMs} ms.`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return `The hub was not reached: ${cause.message || code || error.message}`
}
