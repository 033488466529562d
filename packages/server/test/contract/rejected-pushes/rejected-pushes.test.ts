import assert from 'node:assert/strict'
import type { RejectedPush } from '@recordhub/protocol'
import { formatMessage } from '../../../src/errors.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import { ANY_REJECTED, only } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { rejection } from '../../helpers/storage/replays.ts'
import { rounds } from '../../helpers/time/tier.ts'

const ALL = { ...ANY_REJECTED, limit: 1000, before: null }

test('a rejected push is saved with its reason and its exact body', async (kit) => {
  const school = await kit.register()
  const body = '{"price":1.10,"big":12345678901234567890,"s":"\\u0000\\ud800","x":[null]}'
  const errors = { data: ['must be an object'], 'é"': [] }
  await kit.saveRejected([rejection(school, { body, errors, method: 'PATCH' })])
  const { id, body: stored, cause, ...push } = only(await list(kit.storage))
  assert.ok(id > 0)
  assert.ok(cause.length > 10)
  assert.equal(JSON.stringify(stored), body)
  assert.deepEqual(push, {
    first_at: kit.clock.text,
    at: kit.clock.text,
    count: 1,
    platform_name: 'school',
    record_type: null,
    method: 'PATCH',
    code: 'invalid_record',
    message: 'The push was rejected',
    errors,
    pull_id: null,
    request_id: null,
    replayed_at: null,
    replayed_by: null,
    replay_outcome: null,
    record_id: null,
    accepted_at: null,
    accepted_by: null,
  })
})

test('a repeated rejection of the same body is saved once, with a count and the last time', async (kit) => {
  const school = await kit.register()
  await kit.saveRejected([rejection(school), rejection(school, { request_id: 'first' })])
  const first = only(await list(kit.storage, { request_id: 'first' }))
  kit.clock.advance(60)
  const message = 'It was rejected again'
  await kit.saveRejected([rejection(school, { message, request_id: 'second' })])
  assert.deepEqual(await list(kit.storage, { request_id: 'first' }), [])
  const again = only(await list(kit.storage))
  assert.deepEqual([first.count, again.count], [2, 3])
  assert.deepEqual([again.id, again.at], [first.id, kit.clock.text])
  assert.deepEqual([again.message, again.request_id], [message, 'second'])
  const since = kit.clock.text
  assert.equal(only(await list(kit.storage, { since })).id, again.id)
  kit.clock.advance(60)
  assert.deepEqual(await list(kit.storage, { since: kit.clock.text }), [])
})

test('a different body, code, method, module or platform is a separate rejection', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await kit.saveRejected([
    rejection(school),
    rejection(school, { body: '{"a":2}' }),
    rejection(school, { code: 'module_not_registered' }),
    rejection(school, { method: 'PATCH' }),
    rejection(school, { record_type: 'students' }),
    rejection(school, { record_type: 'staff' }),
    rejection(clinic),
  ])
  const stored = await list(kit.storage)
  assert.equal(stored.length, 7)
  assert.deepEqual(new Set(stored.map((push) => push.count)), new Set([1]))
})

test('concurrent rejections are all counted', async (kit) => {
  const school = await kit.register()
  await Promise.all(Array.from({ length: 40 }, () => kit.saveRejected([rejection(school)])))
  assert.equal(only(await list(kit.storage)).count, 40)
  assert.equal(await rejectedOn(kit, kit.clock.day), 40)
})

test('every rejected push is counted on the day of its arrival, including repeated ones', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await kit.saveRejected([rejection(school), rejection(school), rejection(clinic)])
  kit.clock.set('2026-03-11T00:00:00.000Z')
  await kit.saveRejected([rejection(school)])
  assert.equal(await rejectedOn(kit, '2026-03-10'), 3)
  assert.equal(await rejectedOn(kit, '2026-03-11'), 1)
  assert.equal(await rejectedOn(kit, '2026-03-12'), 0)
})

test('a record rejected again by each pull is counted as rejected once', async (kit) => {
  const school = await kit.register()
  const rejected = rejection(school, { method: 'pull', code: 'duplicate_reference' })
  await kit.saveRejected([rejected])
  await kit.saveRejected([rejected])
  assert.equal(only(await list(kit.storage)).count, 2)
  assert.equal(await rejectedOn(kit, kit.clock.day), 1)
})

test('rejected records with different messages have the same cause, and each has its latest message', async (kit) => {
  const school = await kit.register()
  const element = (body: string, message: string) =>
    rejection(school, { method: 'pull', cause: 'Duplicate', body, message })
  await kit.saveRejected([element('{"a":1}', 'At 1 and 2'), element('{"a":2}', 'At 3 and 4')])
  await kit.saveRejected([element('{"a":1}', 'At 1 and 5')])
  const rows = await list(kit.storage)
  assert.deepEqual(rows.map(({ message }) => message).sort(), ['At 1 and 5', 'At 3 and 4'])
  assert.equal(new Set(rows.map(({ cause }) => cause)).size, 1)
})

test('a group has the message of its rejections, or the message of their code if their messages differ', async (kit) => {
  const school = await kit.register()
  const element = (body: string, message: string) =>
    rejection(school, {
      method: 'pull',
      code: 'duplicate_reference',
      cause: 'Duplicate',
      body,
      message,
    })
  const messages = async () =>
    (await kit.storage.rejectedPushes.listGroups({ platform: null, limit: 10 })).map(
      ({ message, rejected_pushes }) => [message, rejected_pushes],
    )
  await kit.saveRejected([element('{"a":1}', 'R-1 is at 1 and 2')])
  assert.deepEqual(await messages(), [['R-1 is at 1 and 2', 1]])
  await kit.saveRejected([element('{"a":2}', 'R-3 is at 3 and 4')])
  assert.deepEqual(await messages(), [[formatMessage('duplicate_reference'), 2]])
})

test('a rejected record is listed for every pull that rejected it, and for no other pull', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic', modules: ['patients'] })
  /** Runs a pull that rejects these bodies of a module; returns the id of the pull. */
  const pull = async (platform: KitPlatform, record_type: string, ...bodies: string[]) => {
    const read = await platform.startRead({ record_type })
    const { pull_id } = read.read
    const rejected = bodies.map((body) =>
      rejection(platform, { method: 'pull', pull_id, record_type, body }),
    )
    // Saved in two batches, as during a long read.
    await kit.saveRejected(rejected.slice(0, 1))
    await kit.saveRejected(rejected.slice(1))
    await kit.finishRead(read)
    await kit.finishPull(pull_id)
    return pull_id
  }
  const bodiesOf = async (pull_id: number) =>
    (await list(storage, { pull_id })).map((one) => JSON.stringify(one.body)).sort()
  const [one, two] = ['{"a":1}', '{"a":2}']
  await kit.saveRejected([rejection(school)])
  const first = await pull(school, 'students', one, two)
  const second = await pull(school, 'students', one)
  const other = await pull(clinic, 'patients', two)
  const third = await pull(school, 'students', one, two)
  assert.deepEqual(await bodiesOf(first), [one, two])
  assert.deepEqual(await bodiesOf(second), [one])
  assert.deepEqual(await bodiesOf(other), [two])
  assert.deepEqual(await bodiesOf(third), [one, two])
  assert.deepEqual(await bodiesOf(third + 1), [])
  const ranges = await kit.runSql('SELECT * FROM rejected_push_pulls')
  assert.equal(ranges.length, 4, 'a record that every pull rejects has one range')
  await storage.rejectedPushes.dismissRejectedPushes(
    { ...ANY_REJECTED, id: null, until: kit.clock.text, limit: 100 },
    kit.clock.text,
    null,
  )
  assert.deepEqual(await kit.runSql('SELECT * FROM rejected_push_pulls'), [])
})

test('the oldest rejections are deleted first when the quota is full, and a repeat counts as new', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await kit.saveRejected([rejection(clinic, { body: bodyOf('clinic') })])
  for (const name of ['a', 'b', 'c', 'd']) {
    kit.clock.advance(1)
    await kit.saveRejected([rejection(school, { body: bodyOf(name) })])
  }
  kit.clock.advance(1)
  await kit.saveRejected([rejection(school, { body: bodyOf('a') })])
  kit.clock.advance(1)
  // Enough for three bodies of 10 kB with their overhead, but not for four.
  await kit.saveRejected([rejection(school, { body: bodyOf('e') })], 38_000)
  const stored = (await list(kit.storage)).map((push) => nameOf(push.body))
  assert.deepEqual(stored, ['e', 'a', 'd', 'clinic'])
  assert.equal(await rejectedOn(kit, kit.clock.day), 7)
})

test('held pushes, which are acknowledged, are not deleted for the quota, and not saved without room', async (kit) => {
  const school = await kit.register()
  for (const [name, code] of [
    ['a', 'held'],
    ['b', 'invalid_record'],
    ['c', 'held'],
    ['d', 'invalid_record'],
  ] as const) {
    kit.clock.advance(1)
    await kit.saveRejected([rejection(school, { code, body: bodyOf(name) })])
  }
  const names = async () => (await list(kit.storage)).map((push) => nameOf(push.body))
  const save = (...pushes: [code: string, name: string][]) => {
    kit.clock.advance(1)
    const rejected = pushes.map(([code, name]) => rejection(school, { code, body: bodyOf(name) }))
    return kit.saveRejected(rejected, 38_000)
  }
  assert.deepEqual(await save(['held', 'e']), [true])
  assert.deepEqual(await names(), ['e', 'c', 'a'])
  const rejected = await rejectedOn(kit, kit.clock.day)
  // A repeated one needs no room, and another rejection, which was not acknowledged, gives way.
  const saved = await save(['held', 'f'], ['held', 'c'], ['invalid_record', 'g'])
  assert.deepEqual(saved, [false, true, true])
  assert.deepEqual(await names(), ['c', 'e', 'a'])
  assert.equal(await rejectedOn(kit, kit.clock.day), rejected + 2)
  // A replayed one gives way too.
  await kit.runSql(`UPDATE rejected_pushes SET replayed_at = at WHERE body LIKE '%"a"%'`)
  assert.deepEqual(await save(['held', 'f']), [true])
  assert.deepEqual(await names(), ['f', 'c', 'e'])
})

test('a held push whose body is larger than the quota is not saved', async (kit) => {
  const school = await kit.register()
  const held = rejection(school, { code: 'held', body: JSON.stringify('x'.repeat(5000)) })
  assert.deepEqual(await kit.saveRejected([held], 4000), [false])
  assert.deepEqual(await list(kit.storage), [])
})

test('only the size of a body larger than the quota is saved, and no other rejection is deleted', async (kit) => {
  const platform = await kit.register()
  const small = rejection(platform, { body: '{"a":1}' })
  const large = rejection(platform, { body: JSON.stringify('x'.repeat(5000)) })
  await kit.saveRejected([small, large], 4000)
  const stored = await list(kit.storage, { platform: platform.platform_name })
  assert.deepEqual(
    new Set(stored.map((push) => JSON.stringify(push.body))),
    new Set(['{"a":1}', '"5002 bytes, more than the quota"']),
  )
})

test('the saved bodies never exceed the quota, and the oldest are deleted first', async (kit) => {
  let run = 0
  const batches = fc.array(
    fc.array(fc.record({ id: fc.nat(8), size: fc.integer({ min: 0, max: 3000 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    { maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(batches, fc.integer({ min: 4000, max: 12_000 }), async (given, quota) => {
      run += 1
      const platform = await kit.register({ name: `platform-${run}` })
      let newestFirst: string[] = []
      for (const batch of given) {
        kit.clock.advance(1)
        const bodies = batch.map(({ id, size }) => JSON.stringify({ id, x: 'x'.repeat(size) }))
        const received = new Set(bodies)
        const rejected = bodies.map((body) => rejection(platform, { body }))
        await kit.saveRejected(rejected, quota)
        const stored = await list(kit.storage, { platform: platform.platform_name })
        const storedBodies = stored.map((push) => JSON.stringify(push.body))
        const older = newestFirst.filter((body) => !received.has(body))
        const newer = storedBodies.filter((body) => received.has(body))
        assert.deepEqual(storedBodies, [...newer, ...older].slice(0, stored.length))
        assert.ok(storedBodies.join('').length <= quota)
        // One kilobyte per row is more than the overhead of any engine.
        const estimateSize = (texts: string[]) => texts.join('').length + 1024 * texts.length
        if (newer.length < received.size) {
          assert.equal(stored.length, newer.length)
          assert.ok(
            estimateSize([...received]) > quota,
            'deleted although the quota was not exceeded',
          )
        } else if (stored.length < received.size + older.length) {
          const deleted = older.slice(stored.length - received.size).slice(0, 1)
          assert.ok(
            estimateSize([...storedBodies, ...deleted]) > quota,
            'deleted although the quota was not exceeded',
          )
        }
        newestFirst = storedBodies
      }
    }),
    { numRuns: rounds(6, 60) },
  )
})

test('rejections are listed newest first, each on one page, and can be filtered', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  for (let number = 0; number < 12; number += 1) {
    // Several rejections have the same time, and one is repeated later.
    if (number % 4 === 0) kit.clock.advance(1)
    const code = number % 2 === 0 ? 'invalid_record' : 'module_not_registered'
    const platform = number % 3 === 0 ? clinic : school
    await kit.saveRejected([rejection(platform, { code, body: `{"n":${number % 11}}` })])
  }
  for (const query of [
    {},
    { platform: 'school' },
    { code: 'invalid_record' },
    { platform: 'clinic', code: 'module_not_registered' },
  ]) {
    const whole = await list(kit.storage, query)
    assert.ok(whole.length > 0)
    assert.deepEqual(whole, whole.toSorted(byTimeDescending))
    for (const [size, max] of [
      [{ limit: 3, maxBytes: 100_000 }, 3],
      // Each rejection counts half a kilobyte in addition to its body.
      [{ limit: 100, maxBytes: 1100 }, 2],
      [{ limit: 100, maxBytes: 0 }, 1],
    ] as const) {
      assert.deepEqual(await listInPages(kit.storage, { ...query, ...size }, max), whole)
    }
    for (const push of whole) {
      assert.equal(push.platform_name, query.platform ?? push.platform_name)
      assert.equal(push.code, query.code ?? push.code)
    }
  }
  assert.deepEqual(await list(kit.storage, { platform: 'nowhere' }), [])
  assert.deepEqual(await list(kit.storage, { code: 'nothing' }), [])
})

type Query = Partial<
  Record<'platform' | 'code' | 'request_id' | 'since', string> & { pull_id: number }
>

async function list(storage: Storage, query: Query = {}): Promise<RejectedPush[]> {
  return (await storage.rejectedPushes.listRejectedPushes({ ...ALL, ...query })).rejected_pushes
}

async function listInPages(
  storage: Storage,
  query: Query & { limit: number; maxBytes: number },
  max: number,
): Promise<RejectedPush[]> {
  const all: RejectedPush[] = []
  for (let more = true; more; ) {
    const before = all.at(-1) ?? null
    const page = { ...ALL, ...query, before }
    const { rejected_pushes, has_more } = await storage.rejectedPushes.listRejectedPushes(page)
    assert.ok(rejected_pushes.length <= max)
    all.push(...rejected_pushes)
    more = has_more
  }
  return all
}

function byTimeDescending(one: RejectedPush, other: RejectedPush): number {
  return Date.parse(other.at) - Date.parse(one.at) || other.id - one.id
}

async function rejectedOn({ storage }: StorageKit, day: string): Promise<number> {
  return (await storage.snapshot.readSnapshot(day)).stats.rejected_today
}

function bodyOf(name: string): string {
  return JSON.stringify({ name, x: 'x'.repeat(10_000) })
}

function nameOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'name' in body ? body.name : null
}
