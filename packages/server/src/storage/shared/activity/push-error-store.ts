import { type Selectable, sql } from 'kysely'
import {
  MAX_PUSH_SENDERS,
  maskHint,
  type PushErrorCount,
  type PushSource,
  withoutSender,
} from '../../../domain/activity/push-errors.ts'
import {
  MAX_PUSH_ADDRESSES,
  type PushAddress,
  type PushErrorStore,
} from '../../port/rejected-push-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { countRows, deleteRows, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

/** These values represent null in the columns of a unique index, which treats nulls as different. */
const NONE = ''
const NO_PLATFORM = 0

export function createPushErrorStore({ reader, transact }: Databases): PushErrorStore {
  return {
    async addPushErrors(counts, addresses) {
      if (counts.length + addresses.length === 0) return
      // The limits apply to all processes together.
      await transact(['push errors'], async (db) => {
        for (const count of counts) await addCount(db, count)
        for (const address of addresses) await saveAddress(db, address)
      })
    },

    async listPushErrors({ reason, source, request_id, limit, before }) {
      let select = reader.selectFrom('push_errors').selectAll()
      if (reason !== null) select = select.where('reason', '=', reason)
      if (request_id !== null) select = select.where('request_id', '=', request_id)
      if (before !== null) select = select.where('push_error_id', '<', before)
      if (source !== null) {
        const { platform_id, key_hints, addresses } = source
        select = select.where((eb) =>
          eb.or([
            eb('platform_id', '=', platform_id),
            eb.and([
              eb('platform_id', '=', NO_PLATFORM),
              // An empty list would be invalid SQL.
              eb.or([
                ...(key_hints.length > 0 ? [eb('key_hint', 'in', key_hints)] : []),
                ...(addresses.length > 0 ? [eb('address', 'in', addresses)] : []),
              ]),
            ]),
          ]),
        )
      }
      const rows = await select.orderBy('push_error_id', 'desc').limit(limit).execute()
      return rows.map((row) => ({ ...toCount(row), push_error_id: row.push_error_id }))
    },

    async readPushErrors(from, to) {
      const rows = await reader
        .selectFrom('push_errors')
        .selectAll()
        .where('hour', '>=', from)
        .where('hour', '<=', to)
        .execute()
      return rows.map(toCount)
    },

    listPushSources: () => listPushSources(reader),
  }
}

async function addCount(db: Executor, count: PushErrorCount): Promise<void> {
  if (await addToRow(db, count)) return
  const match = { hour: count.hour, address: sql`<> ${NONE}` }
  const senders = await countRows(db, 'push_errors', match)
  const counted = senders < MAX_PUSH_SENDERS ? count : withoutSender(count)
  if (counted !== count && (await addToRow(db, counted))) return
  await db.insertInto('push_errors').values(toRow(counted)).execute()
}

/** @returns whether the row exists. */
async function addToRow(db: Executor, count: PushErrorCount): Promise<boolean> {
  const { requests, last_at, request_id, ...key } = toRow(count)
  const change = { requests: sql`requests + ${requests}`, last_at, request_id }
  return (await updateRows(db, 'push_errors', key, change)) > 0
}

async function saveAddress(db: Executor, { platform_id, address, at }: PushAddress): Promise<void> {
  await db
    .insertInto('push_addresses')
    .values({ platform_id, address, last_at: at })
    .onConflict((conflict) =>
      conflict.columns(['platform_id', 'address']).doUpdateSet({ last_at: at }),
    )
    .execute()
  const excess = await db
    .selectFrom('push_addresses')
    .select('address')
    .where('platform_id', '=', platform_id)
    .orderBy('last_at', 'desc')
    .orderBy('address')
    .limit(MAX_PUSH_ADDRESSES)
    .offset(MAX_PUSH_ADDRESSES)
    .execute()
  if (excess.length === 0) return
  const addresses = excess.map((row) => row.address)
  await deleteRows(db, 'push_addresses', { platform_id, address: addresses })
}

async function listPushSources(db: Executor): Promise<PushSource[]> {
  const platforms = await db
    .selectFrom('platforms')
    .select(['platform_id', 'platform_name'])
    .where('removed_at', 'is', null)
    .orderBy('platform_id')
    .execute()
  const keys = await db.selectFrom('hub_keys').select(['platform_id', 'hint']).execute()
  const addresses = await db
    .selectFrom('push_addresses')
    .select(['platform_id', 'address'])
    .execute()
  const keysOf = Map.groupBy(keys, (key) => key.platform_id)
  const addressesOf = Map.groupBy(addresses, (address) => address.platform_id)
  return platforms.map(({ platform_id, platform_name }) => ({
    platform_id,
    platform_name,
    key_hints: (keysOf.get(platform_id) ?? []).map(({ hint }) => maskHint(hint)),
    addresses: (addressesOf.get(platform_id) ?? []).map(({ address }) => address),
  }))
}

function toRow({ platform_id, key_hint, address, ...count }: PushErrorCount) {
  return {
    ...count,
    platform_id: platform_id ?? NO_PLATFORM,
    key_hint: key_hint ?? NONE,
    address: address ?? NONE,
  }
}

function toCount(row: Selectable<Tables['push_errors']>): PushErrorCount {
  const { hour, reason, platform_id, key_hint, address, requests, last_at, request_id } = row
  return {
    ...{ hour, reason, requests, last_at, request_id },
    platform_id: platform_id === NO_PLATFORM ? null : platform_id,
    key_hint: key_hint === NONE ? null : key_hint,
    address: address === NONE ? null : address,
  }
}
