import assert from 'node:assert/strict'
import type { RevertScope } from '@recordhub/protocol'
import { expectSums, moduleRef } from '../../helpers/storage/digests.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, MAX_RECORD_KEYS, only } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { contents, KEYS, planTest, pullList, revert, shown } from '../../helpers/storage/reverts.ts'

test('a revert of a pull restores former values, marks created records as missing and brings back marked ones', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}', two: '{"a":2}', gone: '{"a":3}' })
  const bad = await pullList(
    kit,
    school,
    { one: '{"a":9,"b":1}', two: '{"b":2}', new: '{"a":4}' },
    ['gone'],
  )
  const planned = await planTest(kit, { pull_id: bad.pull_id })
  assert.equal(planned.state, 'planned')
  assert.deepEqual(planned.counts, {
    ...{ reverted: 4, kept: 0, impossible: 0, held_now: 0, lifted: 0 },
  })
  const done = await revert(kit, { pull_id: bad.pull_id })
  assert.equal(done.state, 'succeeded')
  assert.deepEqual(done.counts, { reverted: 4, kept: 0, impossible: 0, held_now: 4, lifted: 0 })
  assert.deepEqual(await contents(kit), {
    one: shown('{"a":1,"b":1}'),
    two: shown('{"a":2}'),
    gone: shown('{"a":3}'),
    new: shown('{"a":4}', true),
  })
  const [record] = await kit.records({ reference_number: 'one' })
  assert.ok(record)
  const [entry] = await kit.history(record.record_id)
  assert.deepEqual([entry?.source, entry?.revert_id], ['revert', done.id])
})

test('a record is kept whole if one path has another value, whoever wrote it', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}', two: '{"a":1,"b":1}' })
  const bad = await pullList(kit, school, { one: '{"a":2,"b":2}', two: '{"a":2,"b":2}' })
  await school.patch({ reference: 'one', data: '{"b":3}' })
  // Another write of the same values is no other value.
  await school.post({ reference: 'two', data: '{"b":2,"a":2}' })
  const done = await revert(kit, { pull_id: bad.pull_id })
  assert.deepEqual([done.counts.reverted, done.counts.kept], [1, 1])
  assert.deepEqual(await contents(kit), {
    one: shown('{"a":2,"b":3}'),
    two: shown('{"a":1,"b":1}'),
  })
  const kept = await kit.storage.reverts.listRecords({
    ...{ revert_id: done.id, outcome: 'kept', limit: 10, after: null },
  })
  assert.deepEqual(
    kept.map(({ reference_number, kept: by }) => [reference_number, by?.path, by?.source]),
    [['one', '/data/b', 'PATCH']],
  )
})

test('pushes of a platform in a period are reverted, with the records that they created', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'old', data: '{"a":1}' })
  kit.clock.advance(60)
  const from = kit.clock.now().toISOString()
  await school.post({ reference: 'old', data: '{"a":2}' })
  await school.post({ reference: 'new', data: '{"a":5}' })
  kit.clock.advance(60)
  const to = kit.clock.now().toISOString()
  await school.post({ reference: 'later', data: '{"a":7}' })
  const done = await revert(kit, { platform: school.platform_name, from, to })
  assert.deepEqual([done.counts.reverted, done.counts.kept], [2, 0])
  assert.deepEqual(await contents(kit), {
    old: shown('{"a":1}'),
    new: shown('{"a":5}', true),
    later: shown('{"a":7}'),
  })
})

test('a record is reverted to the state after one of its changes', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":1}' })
  await school.post({ data: '{"a":2}' })
  await school.post({ data: '{"a":3}' })
  await school.post({ data: '{"a":4,"b":1}' })
  const versions = await kit.history(record_id)
  const version = versions[1]?.change_seq ?? 0
  await revert(kit, { record_id, version })
  assert.equal((await kit.record(record_id)).data, '{"a":3}')
})

test('a revert of a revert gives the equal state, and ends the holds of the first', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}', gone: '{"a":3}' })
  const bad = { one: '{"a":2}', new: '{"a":4}' }
  const { pull_id } = await pullList(kit, school, bad, ['gone'])
  const before = await contents(kit)
  const first = await revert(kit, { pull_id })
  const second = await revert(kit, { revert_id: first.id })
  assert.deepEqual(await contents(kit), before)
  assert.deepEqual(
    [second.counts.reverted, second.counts.held_now, await kit.countRows('holds')],
    [3, 0, 0],
  )
  // The third one refuses the values again.
  await revert(kit, { revert_id: second.id })
  const { outcomes } = await pullList(kit, school, bad)
  assert.deepEqual(outcomes, ['held', 'held'])
})

test('two pulls that changed different paths are reverted in either order', async (kit) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const school = await kit.register({ name: `school-${order.join('')}` })
    await pullList(kit, school, { one: '{"a":1,"b":1}' })
    const first = await pullList(kit, school, { one: '{"a":2,"b":1}', [`new-${order[0]}`]: '{}' })
    const second = await pullList(kit, school, { one: '{"a":2,"b":2}', [`new-${order[0]}`]: '{}' })
    const pulls = [first, second]
    for (const index of order) {
      const scope: RevertScope = { pull_id: pulls[index]?.pull_id ?? 0 }
      assert.equal((await revert(kit, scope)).counts.kept, 0)
    }
    const rows = await kit.records({ platform: school.platform_name })
    const one = rows.find((row) => row.reference_number === 'one')
    assert.equal(one?.data, '{"a":1,"b":1}')
    const created = rows.find((row) => row.reference_number.startsWith('new-'))
    assert.notEqual(created?.missing_since, null)
  }
})

test('a record that one pull created and another changed stays missing when both are reverted', async (kit) => {
  const school = await kit.register()
  const first = await pullList(kit, school, { other: '{}', new: '{"a":1}' })
  const second = await pullList(kit, school, { other: '{}', new: '{"a":2}' })
  await revert(kit, { pull_id: second.pull_id })
  await revert(kit, { pull_id: first.pull_id })
  assert.deepEqual((await contents(kit))['new'], shown('{"a":1}', true))
  await pullList(kit, school, { new: '{"a":2}' })
  assert.deepEqual((await contents(kit))['new'], shown('{"a":1}', true))
  await pullList(kit, school, { new: '{"a":3}' })
  assert.deepEqual((await contents(kit))['new'], shown('{"a":3}'))
})

test('a rejected write lifts no hold', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{}', gone: '{"a":3}' })
  const bad = await pullList(kit, school, { one: '{}' }, ['gone'])
  await revert(kit, { pull_id: bad.pull_id })
  const keys = Array.from({ length: MAX_RECORD_KEYS }, (_, n) => `"k${n}":1`)
  const patch = { reference: 'gone', data: `{${keys.join(',')}}` }
  await assert.rejects(school.patch(patch), /too_many_keys/)
  await pullList(kit, school, { one: '{}' }, ['gone'])
  assert.deepEqual((await contents(kit))['gone'], shown('{"a":3}'))
})

test('ten pulls of the same bad list bring back nothing, and the first corrected list brings all', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":{"x":1,"y":2}}', two: '{"a":2}', gone: '{"a":3}' })
  const bad = await pullList(
    kit,
    school,
    { one: '{"a":9,"b":{"x":7,"y":8}}', two: '{"a":8}', new: '{"a":4}' },
    ['gone'],
  )
  await revert(kit, { pull_id: bad.pull_id })
  const reverted = await contents(kit)
  const shuffled = [
    { one: '{"b":{"y":8,"x":7},"a":9}', two: '{"a":8}', new: '{"a":4}' },
    { new: '{"a":4}', two: '{ "a": 8 }', one: '{"a":9,"b":{"x":7,"y":8}}' },
  ]
  for (let time = 0; time < 10; time += 1) {
    kit.clock.advance(3600)
    let marked = 0
    await school.pull(
      async (read) => {
        const list = Object.entries(shuffled[time % 2] ?? {})
        const outcomes = await kit.outcomesOf(
          ...list.map(([reference, data]) => pullWrite(read, { reference, data })),
        )
        assert.deepEqual(outcomes, ['held', 'held', 'held'])
        assert.equal(read.read.seen.size, 2)
        assert.equal(read.read.stillMissing.size, 1)
        const outcome = await kit.markMissing(read, ['gone'], 0)
        marked += outcome.outcome === 'marked' ? outcome.marked : 0
      },
      { manifest_keys: time < 5 ? ['a', 'b'] : ['a', 'b', 'c'] },
    )
    assert.equal(marked, 0)
    assert.deepEqual(await contents(kit), reverted)
  }
  const good = { one: '{"a":1,"b":{"x":1,"y":3}}', two: '{"a":5}', new: '{"a":6}', gone: '{"a":3}' }
  await pullList(kit, school, good)
  assert.deepEqual(
    await contents(kit),
    Object.fromEntries(Object.entries(good).map(([key, data]) => [key, shown(data)])),
  )
  assert.equal(await kit.countRows('holds'), 0)
})

test('a held value stays out while other fields change, also of a PATCH', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}' })
  const bad = await pullList(kit, school, { one: '{"a":9,"b":1}' })
  await revert(kit, { pull_id: bad.pull_id })
  const pulled = await pullList(kit, school, { one: '{"a":9,"b":2}' })
  assert.deepEqual(pulled.outcomes, ['updated'])
  assert.deepEqual(await contents(kit), { one: shown('{"a":1,"b":2}') })
  // A PATCH of another field is not held, and lifts nothing.
  assert.equal((await school.patch({ reference: 'one', data: '{"b":3}' })).outcome, 'updated')
  const patch = await school.patch({ reference: 'one', data: '{"a":9}' })
  assert.deepEqual([patch.outcome, patch.outcome === 'held' && patch.is_held], ['held', true])
  assert.deepEqual(await contents(kit), { one: shown('{"a":1,"b":3}') })
  // A PATCH with another value is applied, and the hold remains for the refused one.
  assert.equal((await school.patch({ reference: 'one', data: '{"a":5}' })).outcome, 'updated')
  assert.deepEqual((await pullList(kit, school, { one: '{"a":9,"b":3}' })).outcomes, ['held'])
  // A whole write with another value lifts it, even if it changes nothing.
  assert.equal(
    (await school.post({ reference: 'one', data: '{"a":5,"b":3}' })).outcome,
    'unchanged',
  )
  assert.equal(await kit.countRows('holds'), 0)
})

test('a PATCH of a record that was taken back is applied, and the record remains missing', async (kit) => {
  const school = await kit.register()
  const bad = await pullList(kit, school, { new: '{"a":1}' })
  await revert(kit, { pull_id: bad.pull_id })
  assert.equal((await school.patch({ reference: 'new', data: '{"a":1}' })).outcome, 'held')
  assert.equal((await school.patch({ reference: 'new', data: '{"b":1}' })).outcome, 'updated')
  assert.deepEqual(await contents(kit), { new: shown('{"a":1,"b":1}', true) })
  // The refused content is held also then.
  assert.deepEqual((await pullList(kit, school, { new: '{"a":1}' })).outcomes, ['held'])
  assert.deepEqual((await pullList(kit, school, { new: '{"a":2}' })).outcomes, ['updated'])
  assert.deepEqual(await contents(kit), { new: shown('{"a":2}', false) })
})

test('a record is missing for the reason of the write that made it missing', async (kit) => {
  const school = await kit.register()
  const reason = async (reference_number = 'new') =>
    only(await kit.records({ reference_number })).missing_reason
  const bad = await pullList(kit, school, { new: '{"a":1}' })
  await revert(kit, { pull_id: bad.pull_id })
  assert.equal(await reason(), 'taken_back')
  await school.patch({ reference: 'new', data: '{"b":1}' })
  assert.equal(await reason(), 'taken_back')
  const corrected = await pullList(kit, school, { new: '{"a":2}' })
  assert.equal(await reason(), null)
  // It was missing before that pull, and is again: not because a read lacked it.
  await revert(kit, { pull_id: corrected.pull_id })
  assert.equal(await reason(), 'taken_back')
  await pullList(kit, school, { new: '{"a":3}' })
  const lacking = await pullList(kit, school, {}, ['new'])
  assert.equal(await reason(), 'absent')
  const { id: revert_id } = await revert(kit, { pull_id: lacking.pull_id })
  assert.equal(await reason(), null)
  await revert(kit, { revert_id })
  assert.equal(await reason(), 'absent')
  const found = await pullList(kit, school, { new: '{"a":4}' })
  await revert(kit, { pull_id: found.pull_id })
  assert.equal(await reason(), 'absent')
  // A revert of the revert of a creation, and of that one.
  const created = await pullList(kit, school, { other: '{"a":1}' })
  const scopes = [{ pull_id: created.pull_id }, null, null]
  const reasons: (string | null)[] = []
  let last = 0
  for (const scope of scopes) {
    last = (await revert(kit, scope ?? { revert_id: last })).id
    reasons.push(await reason('other'))
  }
  assert.deepEqual(reasons, ['taken_back', null, 'taken_back'])
})

test('what was created before the stored history is impossible to revert', async (kit) => {
  const school = await kit.register()
  const bad = await pullList(kit, school, { new: '{"a":1}' })
  await school.post({ reference: 'new', data: '{"a":2}' })
  await school.post({ reference: 'new', data: '{"a":1}' })
  kit.clock.advance(86_400)
  const before = kit.clock.now().toISOString()
  await kit.storage.retention.deleteOld('history', { before, after: null, limit: 1000 })
  const done = await revert(kit, { pull_id: bad.pull_id })
  assert.deepEqual([done.counts.impossible, done.history_since], [1, before])
  const [record] = await kit.storage.reverts.listRecords({
    ...{ revert_id: done.id, outcome: null, limit: 10, after: null },
  })
  assert.deepEqual([record?.outcome, record?.reason], ['impossible', 'history_deleted'])
})

test('a write during a pull that began before the revert does not bring the values back', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}' })
  const bad = await pullList(kit, school, { one: '{"a":2}' })
  await school.pull(async (read) => {
    await revert(kit, { pull_id: bad.pull_id })
    const [record] = await kit.records()
    assert.ok(record)
    const { record_id } = record
    assert.equal(await kit.storage.holds.liftHolds({ record_id }, changeLog('holds.lifted')), 1)
    assert.deepEqual(await kit.outcomesOf(pullWrite(read, { reference: 'one', data: '{"a":2}' })), [
      'stale',
    ])
  }, KEYS)
})

test('a revert keeps the clocks of fields: an older push stays older', async (kit) => {
  const school = await kit.register()
  const patch = (a: number, at: number) =>
    school.patch({ data: `{"a":${a}}`, occurred_at: `2026-03-10T07:00:0${at}.000000000Z` })
  const { record_id } = await school.post({ data: '{"a":0}' })
  await patch(1, 1)
  await patch(4, 4)
  const [, former] = await kit.history(record_id)
  await revert(kit, { record_id, version: former?.change_seq ?? 0 })
  assert.equal((await kit.record(record_id)).data, '{"a":1}')
  assert.equal((await patch(3, 3)).outcome, 'stale')
  assert.equal((await patch(5, 5)).outcome, 'updated')
})

test('a reverted record has no version, so that the next pull reads and confirms it', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const pull = async (version: string, a: number) => {
    let pull_id = 0
    await school.pull(async (read) => {
      pull_id = read.read.pull_id
      const one = pullWrite(read, { reference: 'one', data: `{"a":${a}}`, version })
      const two = pullWrite(read, { reference: 'two', data: '{}', version: 'v' })
      await kit.outcomesOf(one, two)
    }, KEYS)
    return pull_id
  }
  await pull('good', 1)
  const pull_id = await pull('bad', 2)
  await expectSums(
    kit,
    module,
    new Map([
      ['one', 'bad'],
      ['two', 'v'],
    ]),
  )
  await revert(kit, { pull_id })
  await expectSums(kit, module, new Map([['two', 'v']]))
  // The bytes that the record has again are compared, not skipped, and set both.
  await pull('good', 1)
  await expectSums(
    kit,
    module,
    new Map([
      ['one', 'good'],
      ['two', 'v'],
    ]),
  )
})
