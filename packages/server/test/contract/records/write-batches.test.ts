import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { MAX_RECORD_KEYS, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

const TOO_LONG = 'x'.repeat(600)

test('an empty batch has no outcomes', async (kit) => {
  assert.deepEqual(await kit.write(), [])
})

test('writes to one reference in a batch are applied in order, each to the result of the previous one', async (kit) => {
  const school = await kit.register()
  const outcomes = await kit.write(
    pushWrite(school, { source: 'PATCH', data: '{"a":1}', request_id: 'q-1' }),
    pushWrite(school, { source: 'PATCH', data: '{"b":2}', request_id: 'q-2' }),
    pushWrite(school, { reference: 'r-2' }),
    pushWrite(school, { data: '{"a":1,"b":2,"c":3}', request_id: 'q-3' }),
    pushWrite(school, { data: '{"a":1,"b":2,"c":3}', request_id: 'q-4' }),
    pushWrite(school, { data: '{"d":4}', request_id: 'q-5' }),
  )
  assert.deepEqual(outcomesOf(outcomes), [
    'created',
    'updated',
    'created',
    'updated',
    'unchanged',
    'updated',
  ])
  const [record] = await kit.records({ reference_number: 'r-1' })
  assert.ok(record)
  assert.equal(record.data, '{"d":4}')
  const history = await kit.history(record.record_id)
  assert.deepEqual(
    history.map((entry) => entry.request_id),
    ['q-5', 'q-3', 'q-2'],
  )
})

test('only a write that adds keys to a record beyond the limit is rejected', async (kit) => {
  const school = await kit.register()
  const keysOf = (from: number, to: number) =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`k${from + at}`, at])),
    )
  const writes = await kit.outcomesOf(
    pushWrite(school, { data: keysOf(0, MAX_RECORD_KEYS) }),
    pushWrite(school, { source: 'PATCH', data: '{"k0":"changed"}' }),
    pushWrite(school, { source: 'PATCH', data: '{"other":1}' }),
    pushWrite(school, { reference: 'r-2' }),
    pushWrite(school, { reference: 'r-3', data: keysOf(0, 9) }),
  )
  assert.deepEqual(writes, ['created', 'updated', 'too_many_keys', 'created', 'created'])
  const [record] = await kit.records({ reference_number: 'r-1' })
  assert.ok(record && !record.data.includes('other'))
  assert.equal((await kit.history(record.record_id)).length, 1)
  // A pull keeps the keys that the manifest does not name.
  const later = await school.startRead()
  const pulled = pullWrite(later, { reference: 'r-3', data: keysOf(9, MAX_RECORD_KEYS + 9) })
  assert.deepEqual(await kit.outcomesOf(pulled), ['too_many_keys'])
  assert.deepEqual(
    await kit.outcomesOf(pushWrite(school, { data: '{"other":1}' })),
    ['updated'],
    'the whole record is replaced',
  )
})

test('small elements for large records are stored in several transactions, with the outcomes of one', async (kit) => {
  const school = await kit.register()
  let commits = 0
  kit.storage.broadcast.onCommit((reason) => {
    if (reason === 'records') commits += 1
  })
  const made: number[] = []
  const pullAll = (data: string, expected: string[]) =>
    school.pull(async (read) => {
      const references = ['r-1', 'r-2', 'r-3', 'r-1']
      const writes = references.map((reference) => pullWrite(read, { reference, data }))
      commits = 0
      assert.deepEqual(await kit.outcomesOf(...writes), [...expected, 'duplicate_reference'])
      made.push(commits)
    })
  const photo = 'x'.repeat(3 * 2 ** 19)
  await pullAll(`{"photo":"${photo}"}`, ['created', 'created', 'created'])
  await pullAll('{"photo":""}', ['updated', 'updated', 'updated'])
  assert.deepEqual(made, [1, 2], 'a transaction loads only a part of the large records')
  await pullAll('{"photo":""}', ['unchanged', 'unchanged', 'unchanged'])
  for (const { record_id, data } of await kit.records()) {
    assert.equal(data, '{"photo":""}')
    assert.equal((await kit.history(record_id)).length, 1)
  }
})

test('small pushes for large records are stored in several transactions, in their order', async (kit) => {
  const school = await kit.register()
  const photo = 'x'.repeat(3 * 2 ** 19)
  const references = ['r-1', 'r-2', 'r-3']
  for (const reference of references) {
    await school.post({ reference, data: `{"photo":"${photo}","n":0}` })
  }
  let commits = 0
  kit.storage.broadcast.onCommit((reason) => {
    if (reason === 'records') commits += 1
  })
  const patch = (reference: string, data: string) =>
    pushWrite(school, { source: 'PATCH', reference, data })
  const outcomes = await kit.outcomesOf(
    patch('r-1', '{"n":1}'),
    patch('r-4', '{"n":1}'),
    patch('r-2', '{"n":1}'),
    patch('r-3', '{"n":1}'),
    patch('r-1', '{"n":2}'),
    patch('r-1', '{"photo":""}'),
  )
  assert.deepEqual(outcomes, ['updated', 'created', ...references.map(() => 'updated'), 'updated'])
  assert.equal(commits, 2, 'a transaction loads only a part of the large records')
  const stored = await kit.records()
  assert.deepEqual(
    stored.map(({ data }) => data.replace(photo, 'photo')),
    ['{"photo":"","n":2}', '{"photo":"photo","n":1}', '{"photo":"photo","n":1}', '{"n":1}'],
  )
})

test('a batch of any size stores every record, history entry and activity entry once', async (kit) => {
  const school = await kit.register()
  // SQLite inserts 32, 8 or 1 rows per statement.
  const references = Array.from({ length: 83 }, (_, number) => `r-${number}`)
  const pushAll = (full_name: string) =>
    kit.write(...references.map((reference) => pushWrite(school, { reference, full_name })))
  const created = await pushAll('Ann')
  assert.deepEqual(new Set(outcomesOf(created)), new Set(['created']))
  assert.deepEqual(new Set(outcomesOf(await pushAll('Bob'))), new Set(['updated']))
  const rows = await kit.records()
  rows.sort((one, other) => one.record_id - other.record_id)
  assert.deepEqual(
    rows.map((row) => [row.reference_number, row.full_name]),
    references.map((reference) => [reference, 'Bob']),
  )
  for (const { record_id } of rows) {
    assert.equal((await kit.history(record_id)).length, 1)
  }
  for (const kind of ['push.created', 'push.updated']) {
    const query = { kind, limit: 100, before: null }
    assert.equal((await kit.activity(query)).length, 83)
  }
})

test('each change has a unique sequence number in the order of the writes', async (kit) => {
  const school = await kit.register()
  const references = ['c', 'a', 'd', 'b']
  const pushes = references.map((reference) => pushWrite(school, { reference }))
  await kit.write(...pushes)
  await school.post({ reference: 'a', full_name: 'Bob' })
  const rows = await kit.records()
  rows.sort((one, other) => one.change_seq - other.change_seq)
  assert.deepEqual(
    rows.map((row) => row.reference_number),
    ['c', 'd', 'b', 'a'],
  )
  assert.equal(new Set(rows.map((row) => row.change_seq)).size, 4)
})

test('a batch can mix pushes and pulled records', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const outcomes = await kit.write(
    pullWrite(read, { data: '{"a":"read"}' }),
    pushWrite(school, { data: '{"a":"pushed"}' }),
    pushWrite(school, { reference: 'r-2', data: '{"a":"pushed"}' }),
    pullWrite(read, { reference: 'r-2', data: '{"a":"read"}' }),
  )
  assert.deepEqual(outcomesOf(outcomes), ['created', 'updated', 'created', 'stale'])
  for (const row of await kit.records()) assert.equal(row.data, '{"a":"pushed"}')
})

for (const position of [0, 1, 3]) {
  test(`a push that the database rejects at position ${position} does not affect the rest of its batch`, async (kit) => {
    const school = await kit.register()
    await school.post({ reference: 'known', data: '{"a":1}' })
    kit.clock.set('2026-03-11T08:00:00.000Z')
    const writes = [
      pushWrite(school, { reference: 'new' }),
      pushWrite(school, { reference: 'known', data: '{"a":2}' }),
      pushWrite(school, { reference: 'new', source: 'PATCH', data: '{"a":1}' }),
    ]
    const expected = ['created', 'updated', 'updated']
    writes.splice(position, 0, pushWrite(school, { reference: TOO_LONG }))
    expected.splice(position, 0, 'record_not_storable')
    assert.deepEqual(await kit.outcomesOf(...writes), expected)

    const rows = await kit.records()
    assert.deepEqual(
      rows.map((row) => `${row.reference_number} ${row.data}`),
      ['known {"a":2}', 'new {"a":1}'],
    )
    for (const row of rows) {
      assert.equal((await kit.history(row.record_id)).length, 1)
    }
    const { stats, logs } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
    assert.deepEqual(
      [stats.records, stats.received_today, stats.created_today, stats.updated_today],
      [2, 3, 1, 2],
    )
    assert.equal(logs.filter((entry) => entry.at === kit.clock.text).length, 3)
    assert.equal(await kit.storage.records.countRecords(ALL), 2)
  })
}

test('a pulled record that the database rejects does not affect its batch and is not counted as seen', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const outcomes = await kit.write(
    pullWrite(read, { reference: 'r-1' }),
    pullWrite(read, { reference: TOO_LONG }),
    pullWrite(read, { reference: 'r-2' }),
    pullWrite(read, { reference: 'r-1' }),
    pullWrite(read, { reference: TOO_LONG }),
  )
  assert.deepEqual(outcomesOf(outcomes), [
    'created',
    'record_not_storable',
    'created',
    'duplicate_reference',
    'record_not_storable',
  ])
  assert.equal(read.read.seen.size, 2)
  assert.equal((await kit.records()).length, 2)
})

test('a batch of only rejected writes stores nothing', async (kit) => {
  const school = await kit.register()
  await school.post()
  const before = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  const outcomes = await kit.write(
    pushWrite(school, { reference: TOO_LONG }),
    pushWrite(school, { reference: '' }),
  )
  assert.deepEqual(new Set(outcomesOf(outcomes)), new Set(['record_not_storable']))
  const used = before.platforms.map((one) => ({ ...one, last_push_at: kit.clock.text }))
  assert.deepEqual(
    await kit.storage.snapshot.readSnapshot(kit.clock.day),
    { ...before, platforms: used },
    'only the last use of the hub API key is stored',
  )
})

test('repeating a batch leaves every record in the same state', async (kit) => {
  const school = await kit.register()
  const batch = [
    pushWrite(school, { data: '{"a":1,"b":1}' }),
    pushWrite(school, { reference: 'r-2', source: 'PATCH', data: '{"a":2}' }),
    pushWrite(school, { reference: TOO_LONG }),
    pushWrite(school, { source: 'PATCH', data: '{"a":3}' }),
  ]
  await kit.write(...batch)
  const readState = async () => (await kit.records()).map(({ change_seq: _, ...row }) => row)
  const before = await readState()
  await kit.write(...batch)
  assert.deepEqual(await readState(), before)
})

const ALL = { platform: null, record_type: null }
