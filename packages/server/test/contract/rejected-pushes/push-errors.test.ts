import assert from 'node:assert/strict'
import { MAX_PUSH_SENDERS, maskHint } from '../../../src/domain/activity/push-errors.ts'
import { createPushErrorCounter } from '../../../src/features/ingest/count-push-errors.ts'
import { MAX_PUSH_ADDRESSES } from '../../../src/storage/port/rejected-push-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushErrorAt, readPages } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'

const AT = '2026-03-10T08:20:00.000Z'

test('the counts of one sender in one hour are added up, even if they are saved concurrently', async (kit) => {
  const { storage } = kit
  const add = (at: string) => storage.pushErrors.addPushErrors([pushErrorAt(at)], [])
  // None of them finds an existing row.
  await Promise.all(Array.from({ length: 9 }, () => add(AT)))
  const later = '2026-03-10T08:50:00.000Z'
  await add(later)
  const { push_error_id, ...counted } = only(await list(storage))
  assert.deepEqual(counted, { ...pushErrorAt(later), requests: 10 })
  await add('2026-03-10T09:00:00.000Z')
  assert.equal((await list(storage)).length, 2)
  const read = await storage.pushErrors.readPushErrors('2026-03-10T08', '2026-03-10T08')
  assert.deepEqual(read, [counted])
})

test('push errors are listed newest first, in pages, by reason and by platform', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await storage.pushErrors.addPushErrors(
    [],
    [{ platform_id: school.platform_id, address: '192.0.2.2', at: AT }],
  )
  const source = only(await storage.pushErrors.listPushSources())
  const hint = maskHint(only(await storage.platforms.listPlatforms()).hub_api_key_hint ?? '')
  assert.deepEqual(source, {
    platform_id: school.platform_id,
    platform_name: 'school',
    key_hints: [hint],
    addresses: ['192.0.2.2'],
  })
  await storage.pushErrors.addPushErrors(
    [
      pushErrorAt(AT, 1),
      pushErrorAt(AT, 2),
      pushErrorAt(AT, 3, { key_hint: hint }),
      pushErrorAt(AT, 4, { reason: 'key_missing', key_hint: null }),
      pushErrorAt(AT, 5, { reason: 'invalid_json', platform_id: school.platform_id }),
      pushErrorAt(AT, 2, { reason: 'invalid_json', platform_id: school.platform_id + 1 }),
    ],
    [],
  )
  const addressesOf = (rows: { address: string | null }[]) =>
    rows.map(({ address }) => Number(address?.split('.')[3]))
  const pages = await readPages<Awaited<ReturnType<typeof list>>[number]>(2, (last) =>
    list(storage, { limit: 2, before: last?.push_error_id ?? null }),
  )
  assert.deepEqual(addressesOf(pages), [2, 5, 4, 3, 2, 1])
  assert.deepEqual(addressesOf(await list(storage, { reason: 'key_missing' })), [4])
  assert.deepEqual(addressesOf(await list(storage, { source })), [5, 3, 2])
  const unknown = { ...source, platform_id: -1, key_hints: [], addresses: [] }
  assert.deepEqual(await list(storage, { source: unknown }), [])
})

test('the number of senders per hour is limited, and the others are counted together for each reason and platform', async (kit) => {
  const { storage } = kit
  const { platform_id } = await kit.register()
  const flood = Array.from({ length: MAX_PUSH_SENDERS + 30 }, (_, n) => pushErrorAt(AT, n))
  await storage.pushErrors.addPushErrors(flood, [])
  const own = pushErrorAt(AT, 1, { reason: 'invalid_json', platform_id })
  await storage.pushErrors.addPushErrors([own, pushErrorAt(AT, 1), own], [])
  const rows = await list(storage)
  assert.equal(rows.length, MAX_PUSH_SENDERS + 2)
  const others = rows.filter(({ address }) => address === null)
  assert.deepEqual(
    others.map((row) => [row.reason, row.platform_id, row.key_hint, row.requests]),
    [
      ['invalid_json', platform_id, null, 2],
      ['key_invalid', null, null, 30],
    ],
  )
  const requests = rows.reduce((sum, row) => sum + row.requests, 0)
  assert.equal(requests, flood.length + 3)
})

test('only the most recent addresses of a platform are stored', async (kit) => {
  const { platform_id } = await kit.register()
  const addresses = Array.from({ length: MAX_PUSH_ADDRESSES + 5 }, (_, n) => ({
    platform_id,
    address: `192.0.2.${n}`,
    at: `2026-03-10T08:00:${String(n).padStart(2, '0')}.000Z`,
  }))
  await kit.storage.pushErrors.addPushErrors([], addresses)
  const source = only(await kit.storage.pushErrors.listPushSources())
  const expected = addresses.slice(5).map(({ address }) => address)
  assert.deepEqual(source.addresses.sort(), expected.sort())
})

test('a flood of keys and addresses is one small write, and no request is lost from the counts', async (kit) => {
  const written: number[] = []
  const { counter } = createCounter(kit, (rows) => written.push(rows))
  const count = 20_000
  for (let n = 0; n < count; n += 1) {
    const address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    counter.countError({ ...REJECTED, key: `rhk_${n}`, address })
    counter.recordAddress(n, address)
  }
  assert.deepEqual(written, [])
  await counter.flush()
  assert.deepEqual(written, [2 * MAX_PUSH_SENDERS + 1])
  const rows = await list(kit.storage)
  assert.equal(
    rows.reduce((sum, row) => sum + row.requests, 0),
    count,
  )
})

test('counts that could not be saved are saved later', async (kit) => {
  const { counter, fault } = createCounter(kit)
  counter.countError(REJECTED)
  fault.isFailing = true
  const flushing = counter.flush()
  kit.clock.advance(1)
  counter.countError({ ...REJECTED, request_id: 'request-2' })
  await assert.rejects(flushing, /unavailable/)
  fault.isFailing = false
  await counter.flush()
  const counted = only(await list(kit.storage, { request_id: 'request-2' }))
  assert.deepEqual([counted.requests, counted.last_at], [2, kit.clock.text])
  assert.deepEqual(await list(kit.storage, { request_id: 'request-1' }), [])
})

test('the address of a platform is written once per hour', async (kit) => {
  const written: number[] = []
  const { counter } = createCounter(kit, (rows) => written.push(rows))
  for (const _ of [1, 2, 3]) {
    counter.recordAddress(1, '192.0.2.1')
    await counter.flush()
  }
  kit.clock.advance(3600)
  counter.recordAddress(1, '192.0.2.1')
  await counter.flush()
  assert.deepEqual(written, [1, 0, 0, 1])
})

const REJECTED = {
  reason: 'key_invalid',
  key: 'rhk_wrong',
  address: '192.0.2.1',
  platform_id: null,
  request_id: 'request-1',
} as const

type ListQuery = Parameters<Storage['pushErrors']['listPushErrors']>[0]

function list({ pushErrors }: Storage, over: Partial<ListQuery> = {}) {
  return pushErrors.listPushErrors({
    reason: null,
    source: null,
    request_id: null,
    limit: 500,
    before: null,
    ...over,
  })
}

/** A counter on the real storage, which the test can make unavailable. */
function createCounter(
  { storage, clock }: StorageKit,
  onWrite: (rows: number) => void = () => undefined,
) {
  const fault = { isFailing: false }
  const pushErrors: Pick<Storage['pushErrors'], 'addPushErrors'> = {
    async addPushErrors(counts, addresses) {
      if (fault.isFailing) throw new Error('The storage is unavailable')
      onWrite(counts.length + addresses.length)
      await storage.pushErrors.addPushErrors(counts, addresses)
    },
  }
  return { counter: createPushErrorCounter({ pushErrors, clock }), fault }
}
