import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'

/** The results of concurrent calls, successful ones last. */
async function acquireAll({ leases }: Storage, owners: string[]): Promise<boolean[]> {
  const acquired = await Promise.all(owners.map((owner) => leases.acquire('job', owner, 60)))
  return acquired.toSorted()
}

test('exactly one of several concurrent callers acquires a lease', async ({ storage }) => {
  const owners = Array.from({ length: 30 }, (_, index) => `node ${index}`)
  assert.deepEqual(await acquireAll(storage, owners), [...Array(29).fill(false), true])
})

test('a lease cannot be acquired again before it expires, even by its owner or after a restart', async (kit) => {
  const { storage, reopen } = kit
  assert.equal(await storage.leases.acquire('job', 'a', 60), true)
  assert.equal(await storage.leases.acquire('job', 'a', 60), false)
  assert.equal(await storage.leases.acquire('another job', 'b', 60), true)
  const { leases } = await reopen()
  assert.equal(await leases.acquire('job', 'b', 60), false)
})

test('exactly one caller acquires a lease after it is released', async ({ storage }) => {
  await storage.leases.acquire('job', 'a', 60)
  await storage.leases.release('job', 'a')
  assert.deepEqual(await acquireAll(storage, ['a', 'b', 'c']), [false, false, true])
})

test('a lease that was acquired before the clock was set back an hour expires', async (kit) => {
  const { storage, clock } = kit
  await storage.leases.acquire('job', 'a', 60)
  clock.advance(-30)
  assert.equal(await storage.leases.acquire('job', 'b', 60), false, 'a small correction')
  clock.advance(-3600)
  assert.deepEqual(await acquireAll(storage, ['b', 'c']), [false, true])
})

test('exactly one caller acquires a lease after it has expired', async ({ storage, clock }) => {
  await storage.leases.acquire('job', 'a', 60)
  clock.advance(60)
  assert.deepEqual(await acquireAll(storage, ['b', 'c']), [false, false])
  clock.advance(1)
  assert.deepEqual(await acquireAll(storage, ['b', 'c']), [false, true])
})

test('only its owner can release a lease, and only until it expires', async ({
  storage: { leases },
  clock,
}) => {
  await leases.release('job', 'a')
  await leases.acquire('job', 'a', 60)
  await leases.release('job', 'b')
  assert.equal(await leases.acquire('job', 'b', 60), false)
  clock.advance(61)
  assert.equal(await leases.acquire('job', 'b', 60), true)
  await leases.release('job', 'a')
  assert.equal(await leases.acquire('job', 'c', 60), false)
})

test('a lease of a time is acquired once, however late, and does not delay the next time', async (kit) => {
  const { clock } = kit
  const { leases } = kit.storage
  const due = clock.now()
  const next = new Date(due.getTime() + 60_000)
  const acquire = (owner: string, from: Date) => leases.acquire('job', owner, 30, from)
  clock.advance(35)
  assert.equal(await acquire('a', due), true)
  assert.equal(await acquire('b', due), false)
  clock.advance(25)
  assert.equal(await acquire('a', next), true)
  assert.equal(await acquire('b', next), false)
  clock.advance(10)
  assert.equal(await acquire('b', due), false, 'a minute late')
})
