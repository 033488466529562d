/**
 * Counts the requests that the receiver rejected without storing them, and records the addresses from which platforms
 * push. The counts stay in memory and are saved together, so that a flood neither fills the memory nor causes a write
 * per request.
 */
import type { PushErrorReason } from '@recordhub/protocol'
import {
  MAX_PUSH_SENDERS,
  maskUnknownKey,
  type PushErrorCount,
  withoutSender,
} from '../../domain/activity/push-errors.ts'
import { clientSubnet, UNKNOWN_ADDRESS } from '../../lib/net/client-subnet.ts'
import { type Clock, toHour } from '../../lib/time/clock.ts'
import type { PushAddress, PushErrorStore } from '../../storage/port/rejected-push-store.ts'

/** Maximum number of pairs of a platform and an address that are remembered until the next hour. */
const MAX_REMEMBERED_ADDRESSES = 10_000

/** A rejected request; `platform_id` if its key was valid. */
type RejectedRequest = {
  reason: PushErrorReason
  key: string
  address: string
  platform_id: number | null
  request_id: string
}

export type PushErrorCounter = {
  countError: (request: RejectedRequest) => void
  /** Records that a platform pushes from an address, once an hour. */
  recordAddress: (platformId: number, address: string) => void
  /** Saves the counts since the last call. If that fails, they are added to later counts. */
  flush: () => Promise<void>
}

/** Longer than any address. A proxy may pass on any text as the address. */
const MAX_ADDRESS_LENGTH = 64

function toClient(address: string): string {
  return clientSubnet(address).slice(0, MAX_ADDRESS_LENGTH)
}

export function createPushErrorCounter(deps: {
  pushErrors: Pick<PushErrorStore, 'addPushErrors'>
  clock: Clock
}): PushErrorCounter {
  const { pushErrors, clock } = deps
  let counts = new Map<string, PushErrorCount>()
  let addresses = new Map<string, PushAddress>()
  /** Hours since 1970. */
  let rememberedHour = 0
  const remembered = new Set<string>()

  function add(count: PushErrorCount): void {
    const { hour, reason, platform_id, key_hint, address, requests } = count
    const name = JSON.stringify([hour, reason, platform_id, key_hint, address])
    const counted = counts.get(name)
    if (counted) {
      counted.requests += requests
      // Counts that could not be saved are older.
      if (count.last_at < counted.last_at) return
      counted.last_at = count.last_at
      counted.request_id = count.request_id
    } else if (address === null || counts.size < MAX_PUSH_SENDERS) counts.set(name, count)
    else add(withoutSender(count))
  }

  return {
    countError({ reason, key, address, platform_id, request_id }) {
      const at = clock.now().toISOString()
      add({
        ...{ reason, platform_id, request_id, requests: 1, last_at: at, hour: toHour(at) },
        key_hint: maskUnknownKey(key),
        address: toClient(address),
      })
    },

    recordAddress(platformId, address) {
      const now = clock.now()
      const hour = Math.floor(now.getTime() / 3_600_000)
      if (hour !== rememberedHour || remembered.size >= MAX_REMEMBERED_ADDRESSES) remembered.clear()
      rememberedHour = hour
      const name = `${platformId} ${address}`
      if (remembered.has(name) || addresses.size >= MAX_PUSH_SENDERS) return
      const client = toClient(address)
      // An unknown address would match every other connection without a known address.
      if (client === UNKNOWN_ADDRESS) return
      remembered.add(name)
      const at = now.toISOString()
      addresses.set(`${platformId} ${client}`, { platform_id: platformId, address: client, at })
    },

    async flush() {
      const saving = { counts, addresses }
      counts = new Map()
      addresses = new Map()
      try {
        await pushErrors.addPushErrors([...saving.counts.values()], [...saving.addresses.values()])
      } catch (error) {
        for (const count of saving.counts.values()) add(count)
        for (const [name, address] of saving.addresses) {
          if (addresses.size < MAX_PUSH_SENDERS) addresses.set(name, address)
        }
        throw error
      }
    },
  }
}
