import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

const T1 = '2026-03-10T07:01:00.000000000Z'
const T2 = '2026-03-10T07:02:00.000000000Z'
const T3 = '2026-03-10T07:03:00.000000000Z'

test('a POST of a new reference creates a record and returns its id and module', async (kit) => {
  const school = await kit.register()
  const data = '{"a":"x","b":[1,{"c":null}]}'
  const result = await school.post({ data })
  assert.equal(result.outcome, 'created')
  assert.equal(result.module_name, 'Module students')
  const record = await kit.record(result.record_id)
  const { change_seq, ...shown } = record
  assert.ok(change_seq > 0)
  assert.deepEqual(shown, {
    record_id: result.record_id,
    platform_name: 'school',
    module_name: 'Module students',
    record_type: 'students',
    reference_number: 'r-1',
    full_name: 'Ann',
    data,
    incomplete: false,
    missing_since: null,
    missing_reason: null,
    created_at: kit.clock.text,
    updated_at: kit.clock.text,
  })
})

test('a POST of a known reference replaces the whole record under the same id', async (kit) => {
  const school = await kit.register()
  const first = await school.post({ data: '{"a":1,"b":2}' })
  const before = await kit.record(first.record_id)
  kit.clock.advance(60)
  const second = await school.post({ full_name: 'Bob', data: '{"c":3}' })
  assert.deepEqual(second, { ...first, outcome: 'updated' })
  const { change_seq, ...record } = await kit.record(first.record_id)
  assert.ok(change_seq > before.change_seq)
  assert.equal(record.full_name, 'Bob')
  assert.equal(record.data, '{"c":3}')
  assert.equal(record.created_at, before.created_at)
  assert.equal(record.updated_at, kit.clock.text)
  only(await kit.records())
})

test('a POST of the stored data is unchanged, in any key order', async (kit) => {
  const school = await kit.register()
  const data = '{"a":1,"b":{"x":1,"y":2}}'
  const { record_id } = await school.post({ data })
  const before = await kit.record(record_id)
  kit.clock.advance(60)
  const again = await school.post({ data })
  assert.deepEqual([again.outcome, again.record_id], ['unchanged', record_id])
  const reordered = pushWrite(school, { data: '{"b":{"y":2,"x":1},"a":1}' })
  assert.equal((await kit.writeOne(reordered)).outcome, 'unchanged')
  assert.deepEqual(await kit.record(record_id), before)
  assert.deepEqual(await kit.history(record_id), [])
})

test('a PATCH sets the submitted keys and does not change the other keys and the name', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":1,"b":2}' })
  const patch = pushWrite(school, { source: 'PATCH', data: '{"b":null,"c":3}' })
  assert.equal((await kit.writeOne(patch)).outcome, 'updated')
  const record = await kit.record(record_id)
  assert.equal(record.data, '{"a":1,"b":null,"c":3}')
  assert.equal(record.full_name, 'Ann')
  assert.equal(record.incomplete, false)
  const named = pushWrite(school, { source: 'PATCH', full_name: 'Bob' })
  assert.equal((await kit.writeOne(named)).outcome, 'updated')
  assert.equal((await kit.record(record_id)).full_name, 'Bob')
})

test('a PATCH of an unknown reference creates an incomplete record, which a POST completes', async (kit) => {
  const school = await kit.register()
  const patch = pushWrite(school, { source: 'PATCH', data: '{"a":1}' })
  const { outcome, record_id } = await kit.writeOne(patch)
  assert.equal(outcome, 'created')
  const created = await kit.record(record_id)
  assert.deepEqual([created.full_name, created.incomplete], ['', true])
  await school.patch({ data: '{"b":2}' })
  assert.equal((await kit.record(record_id)).incomplete, true)
  const whole = pushWrite(school, { full_name: '', data: '{"a":1,"b":2}' })
  assert.deepEqual(await kit.writeOne(whole), {
    outcome: 'updated',
    record_id,
    module_name: 'Module students',
  })
  assert.equal((await kit.record(record_id)).incomplete, false)
})

test('the same reference in another module or platform is another record', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic' })
  const pushes = [
    pushWrite(school, { data: '{"at":1}' }),
    pushWrite(school, { record_type: 'staff', data: '{"at":2}' }),
    pushWrite(clinic, { data: '{"at":3}' }),
  ]
  assert.deepEqual(await kit.outcomesOf(...pushes), ['created', 'created', 'created'])
  const rows = await kit.records()
  assert.deepEqual(
    rows.map((row) => `${row.platform_name} ${row.record_type} ${row.data}`),
    ['school students {"at":1}', 'school staff {"at":2}', 'clinic students {"at":3}'],
  )
  assert.equal(new Set(rows.map((row) => row.record_id)).size, 3)
})

test('a push that occurred before the stored one is stale and changes nothing', async (kit) => {
  const school = await kit.register()
  const newer = pushWrite(school, { data: '{"a":"new"}', occurred_at: T2 })
  const { record_id } = await kit.writeOne(newer)
  const before = await kit.record(record_id)
  const older = pushWrite(school, { data: '{"a":"old"}', occurred_at: T1 })
  const result = await kit.writeOne(older)
  assert.deepEqual([result.outcome, result.record_id], ['stale', record_id])
  assert.deepEqual(await kit.record(record_id), before)
  assert.deepEqual(await kit.history(record_id), [])
})

test('PATCHes with occurred_at produce the same record in any order of arrival', async (kit) => {
  const school = await kit.register()
  const patches = [
    { data: '{"a":1,"b":1}', occurred_at: T1 },
    { data: '{"b":2,"c":2}', occurred_at: T2 },
    { data: '{"c":3}', full_name: 'Bob', occurred_at: T3 },
  ]
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [1, 0, 2],
  ]
  for (const [number, order] of orders.entries()) {
    const reference = `r-${number}`
    for (const index of order) {
      await kit.write(pushWrite(school, { ...patches[index], source: 'PATCH', reference }))
    }
  }
  const expected = '{"a":1,"b":2,"c":3}'
  for (const row of await kit.records()) {
    assert.deepEqual(sortedKeys(row.data), expected, row.reference_number)
    assert.equal(row.full_name, 'Bob', row.reference_number)
  }
})

test('a push that occurred before the request of the last complete pull is stale', async (kit) => {
  const school = await kit.register()
  const data = '{"a":1}'
  await school.pull(async (read) => {
    await kit.writeOne(pullWrite(read, { data }))
  })
  // The second pull does not write the unchanged record but confirms it.
  await school.pull(
    async (read) => {
      assert.equal((await kit.writeOne(pullWrite(read, { data }))).outcome, 'unchanged')
    },
    { requested_at: '2026-03-10T08:10:00.000000000Z' },
  )
  kit.clock.set('2026-03-10T08:12:00.000Z')
  const late = { data: '{"a":2}', occurred_at: '2026-03-10T08:09:00.000000000Z' }
  const stale = await kit.writeOne(pushWrite(school, late))
  assert.equal(stale.outcome, 'stale')
  assert.deepEqual(stale.newer, { source: 'pull', at: '2026-03-10T08:10:00.000000000Z' })
  const next = { data: '{"a":2}', occurred_at: '2026-03-10T08:11:00.000000000Z' }
  assert.equal((await school.post(next)).outcome, 'updated')
})

test('every accepted push adds an activity entry, listed newest first', async (kit) => {
  const school = await kit.register()
  const create = pushWrite(school, { request_id: 'q-1', occurred_at: T2 })
  const { record_id } = await kit.writeOne(create)
  await school.patch({ data: '{"a":1}' })
  await school.patch({ data: '{"a":1}' })
  await school.post({ data: '{"z":1}', occurred_at: T1 })
  const entries = await kit.activity({ platform: 'school', limit: 4 })
  assert.deepEqual(
    entries.map((entry) => entry.kind),
    ['push.stale', 'push.unchanged', 'push.updated', 'push.created'],
  )
  for (const entry of entries) assert.equal(entry.record_id, record_id)
  const { id: _, message, ...created } = only(entries.slice(-1))
  assert.match(message, /r-1/)
  assert.deepEqual(created, {
    at: kit.clock.text,
    level: 'info',
    kind: 'push.created',
    platform_name: 'school',
    record_id,
    actor: null,
    details: { method: 'POST', reference_number: 'r-1', request_id: 'q-1' },
  })
})

function sortedKeys(text: string): string {
  const parsed: Record<string, unknown> = JSON.parse(text)
  return JSON.stringify(Object.fromEntries(Object.entries(parsed).sort()))
}
