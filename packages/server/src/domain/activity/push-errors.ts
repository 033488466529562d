/**
 * Push errors: requests that the receiver rejected without storing them. Limits the number of their counters, masks the
 * keys, and finds the platforms that may have sent the requests.
 */
import type { PushErrorMatch, PushErrorReason } from '@recordhub/protocol'
import type { HourCounts } from '../alerts/push-baseline.ts'
import { HUB_KEY_PREFIX } from '../platform/api-key.ts'

/** The sender of a rejected request. `platform_id` is set if the key was valid. */
type PushSender = {
  platform_id: number | null
  key_hint: string | null
  address: string | null
}

/** The requests of one sender in one hour (`2026-11-21T07`) that were rejected for one reason. */
export type PushErrorCount = PushSender & {
  hour: string
  reason: PushErrorReason
  requests: number
  last_at: string
  /** The last of these requests. */
  request_id: string
}

/** The key prefixes of a platform, as {@link maskUnknownKey} shows them, and the addresses from which it pushes. */
export type PushSource = {
  platform_id: number
  platform_name: string
  key_hints: string[]
  addresses: string[]
}

/** Maximum number of senders with counters of their own: per hour, and per process between two saves. */
export const MAX_PUSH_SENDERS = 200

/** Number of characters of a key that are shown after its prefix. */
const SHOWN_LENGTH = 3
/** A shorter text without the prefix of the hub may be a password, so nothing of it is shown. */
const MIN_FOREIGN_LENGTH = 12

/** The start of an invalid key: enough to recognise it, too little to reconstruct it. Null if there is no key. */
export function maskUnknownKey(key: string): string | null {
  if (key === '') return null
  const isHubKey = key.startsWith(HUB_KEY_PREFIX)
  const foreignLength = key.length < MIN_FOREIGN_LENGTH ? 0 : SHOWN_LENGTH
  const shown = isHubKey ? HUB_KEY_PREFIX.length + SHOWN_LENGTH : foreignLength
  return `${key.slice(0, shown).replace(/[^\x20-\x7e]/g, '?')}…`
}

/** Masks a stored key in the same way, from its hint. */
export function maskHint(hint: string): string {
  return `${hint.slice(0, HUB_KEY_PREFIX.length + SHOWN_LENGTH)}…`
}

/** The counter of an hour and reason for all senders over the limit; senders with a valid key are counted per platform. */
export function withoutSender<Count extends PushErrorCount>(count: Count): Count {
  return { ...count, key_hint: null, address: null }
}

/** The reason to assume that a platform sent the requests; null if there is none. */
export function matchSource(sender: PushSender, source: PushSource): PushErrorMatch | null {
  const { platform_id, key_hint, address } = sender
  if (platform_id !== null) return platform_id === source.platform_id ? 'key' : null
  if (key_hint !== null && source.key_hints.includes(key_hint)) return 'key_prefix'
  return address !== null && source.addresses.includes(address) ? 'address' : null
}

/** The id of an unknown platform in the counts of an hour. */
export const UNKNOWN_PLATFORM = 0

/** The rejected requests of an hour per platform that may have sent them, and those that match no platform. */
export function countBySource(
  counts: (PushSender & { requests: number })[],
  sources: PushSource[],
): HourCounts[] {
  const rejected = new Map([[UNKNOWN_PLATFORM, 0]])
  for (const count of counts) {
    const matching = sources.filter((source) => matchSource(count, source) !== null)
    const ids =
      matching.length > 0 ? matching.map(({ platform_id }) => platform_id) : [UNKNOWN_PLATFORM]
    for (const id of ids) rejected.set(id, (rejected.get(id) ?? 0) + count.requests)
  }
  return [...rejected].map(([platform_id, requests]) => ({
    platform_id,
    pushes: 0,
    rejected: requests,
  }))
}
