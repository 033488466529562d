import { HUB_KEY_HEADER, RECEIVER_CHECK_PATH } from '@recordhub/protocol/constants'
import { hubEndpoint } from '@recordhub/protocol/hub-address'
import type { PushSettings } from '../settings/settings.ts'

/** The time limit of the hub for a search is 10 s. */
const TIMEOUT_MS = 2000

type HubAnswer =
  | { outcome: 'accepted'; url: string; recordTypes: ReadonlySet<string> }
  | { outcome: 'failed'; reason: string }

/** Asks the hub whether it accepts the key, and which record types it has registered for this platform. */
export async function askHub(
  { hubUrl, hubApiKey }: Pick<PushSettings, 'hubUrl' | 'hubApiKey'>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<HubAnswer> {
  const url = hubEndpoint(hubUrl, RECEIVER_CHECK_PATH)
  if (url === null) return { outcome: 'failed', reason: `${hubUrl} is not an http address` }
  const failed = (reason: string) => ({ outcome: 'failed' as const, reason: `${url}: ${reason}` })
  try {
    const response = await fetch(url, {
      headers: {
        Accept: 'application/json',
        [HUB_KEY_HEADER]: hubApiKey,
        'ngrok-skip-browser-warning': 'true',
      },
      // A redirect would send the key to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const body: { success?: unknown; modules?: unknown; message?: unknown } = Object(
      await response.json().catch(() => null),
    )
    const { success, modules, message } = body
    if (!response.ok) {
      const isFromHub = typeof message === 'string'
      return failed(`HTTP ${response.status}${isFromHub ? `: ${message}` : ', not from a hub'}`)
    }
    if (success !== true || !Array.isArray(modules)) return failed('the response is not from a hub')
    const recordTypes = new Set(modules.map((module) => String(Object(module).record_type)))
    return { outcome: 'accepted', url, recordTypes }
  } catch (error) {
    if (!(error instanceof Error)) return failed(String(error))
    if (error.name === 'TimeoutError') return failed(`no response within ${timeoutMs / 1000} s`)
    return failed(error.cause instanceof Error ? error.cause.message : error.message)
  }
}
