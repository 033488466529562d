/**
 * Requests that the receiver rejected without storing anything of them: what is counted, how the counts stay few, and
 * which platform may have sent them. Pure decisions.
 */
import type { PushErrorMatch, PushErrorReason } from '@recordhub/protocol'
import type { HourCounts } from '../alerts/push-baseline.ts'
import { HUB_KEY_PREFIX } from '../platform/api-key.ts'

/** Who sent a request, as far as it is counted. `platform_id` only where the key was valid. */
export type PushSender = {
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
}

/** What is known of a platform's pushes: the prefixes of its keys as {@link maskUnknownKey} shows them, and its addresses. */
export type PushSource = {
  platform_id: number
  platform_name: string
  key_hints: string[]
  addresses: string[]
}

/** Maximum number of senders that are counted one by one: in an hour, and in a process until they are saved. */
export const MAX_PUSH_SENDERS = 200

/** Characters of a key that are shown after its prefix. */
const SHOWN_LENGTH = 3
/** A key of another kind may be a short password, of which nothing is shown. */
const MIN_FOREIGN_LENGTH = 12

/** The beginning of a key that opens nothing: too little to guess the rest, enough to recognise it. Null for no key. */
export function maskUnknownKey(key: string): string | null {
  if (key === '') return null
  const isHubKey = key.startsWith(HUB_KEY_PREFIX)
  const foreignLength = key.length < MIN_FOREIGN_LENGTH ? 0 : SHOWN_LENGTH
  const shown = isHubKey ? HUB_KEY_PREFIX.length + SHOWN_LENGTH : foreignLength
  return `${key.slice(0, shown).replace(/[^\x20-\x7e]/g, '?')}…`
}

/** The same for a stored key, from the hint that the hub has of it. */
export function maskHint(hint: string): string {
  return `${hint.slice(0, HUB_KEY_PREFIX.length + SHOWN_LENGTH)}…`
}

/** The row of an hour and reason that counts all senders beyond the limit; those with a valid key by platform. */
export function withoutSender<Count extends PushErrorCount>(count: Count): Count {
  return { ...count, key_hint: null, address: null }
}

/** Why it is believed that a platform sent the requests; null where nothing says so. */
export function matchSource(sender: PushSender, source: PushSource): PushErrorMatch | null {
  const { platform_id, key_hint, address } = sender
  if (platform_id !== null) return platform_id === source.platform_id ? 'key' : null
  if (key_hint !== null && source.key_hints.includes(key_hint)) return 'key_prefix'
  return address !== null && source.addresses.includes(address) ? 'address' : null
}

/** Stands for no platform in the counts of an hour. */
export const UNKNOWN_PLATFORM = 0

/** The rejected requests of an hour by the platforms that may have sent them, and those that match no platform. */
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
