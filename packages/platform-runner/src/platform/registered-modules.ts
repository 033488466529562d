import { HUB_KEY_HEADER, RECEIVER_CHECK_PATH } from '@recordhub/protocol/constants'
import { trimTrailing } from '@recordhub/protocol/text'
import type { PushSettings } from '../settings/settings.ts'

/** The time limit of the hub for a search is 10 s. */
const TIMEOUT_MS = 2000

/** The record types that the hub has registered for this platform; null if the hub is unavailable. */
export async function readRegisteredTypes(
  { hubUrl, hubApiKey }: Pick<PushSettings, 'hubUrl' | 'hubApiKey'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  try {
    const response = await fetch(trimTrailing(hubUrl, '/') + RECEIVER_CHECK_PATH, {
      headers: {
        Accept: 'application/json',
        [HUB_KEY_HEADER]: hubApiKey,
        'ngrok-skip-browser-warning': 'true',
      },
      // A redirect would send the key to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const modules: unknown = response.ok ? Object(await response.json()).modules : null
    if (!Array.isArray(modules)) return null
    return new Set(modules.map((module) => String(Object(module).record_type)))
  } catch {
    return null
  }
}
