import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

test('pulls create or update a record or leave it unchanged, and its id stays the same', async (kit) => {
  const school = await kit.register()
  const ids: number[] = []
  for (const [data, outcome] of [
    ['{"a":1}', 'created'],
    ['{"a":1}', 'unchanged'],
    ['{"a":2}', 'updated'],
  ] as const) {
    await school.pull(async (read) => {
      const result = await kit.writeOne(pullWrite(read, { data }))
      assert.equal(result.outcome, outcome)
      assert.equal(result.module_name, 'Module students')
      ids.push(result.record_id)
    })
  }
  assert.equal(new Set(ids).size, 1)
  assert.equal(only(await kit.records()).data, '{"a":2}')
})

test('a pull sets keys, removes absent manifest keys, leaves other keys unchanged and completes the record', async (kit) => {
  const school = await kit.register()
  const patch = pushWrite(school, { source: 'PATCH', data: '{"a":1,"b":2,"other":3}' })
  const { record_id } = await kit.writeOne(patch)
  await school.pull(async (read) => {
    const data = '{"a":9}'
    const result = await kit.writeOne(pullWrite(read, { full_name: 'Bob', data }))
    assert.equal(result.outcome, 'updated')
  })
  const record = await kit.record(record_id)
  assert.deepEqual(JSON.parse(record.data), { a: 9, other: 3 })
  assert.deepEqual([record.full_name, record.incomplete], ['Bob', false])
})

test('a pull does not overwrite a record pushed after it started, but the next pull does', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":"first"}' })
  await school.pull(async (read) => {
    await school.post({ data: '{"a":"pushed"}' })
    const pulled = pullWrite(read, { data: '{"a":"read"}' })
    assert.equal((await kit.writeOne(pulled)).outcome, 'stale')
    const created = pushWrite(school, { reference: 'r-2', data: '{"a":"pushed"}' })
    await kit.writeOne(created)
    const late = pullWrite(read, { reference: 'r-2', data: '{"a":"read"}' })
    assert.equal((await kit.writeOne(late)).outcome, 'stale')
  })
  assert.equal((await kit.record(record_id)).data, '{"a":"pushed"}')
  await school.pull(async (read) => {
    const pulled = pullWrite(read, { data: '{"a":"read"}' })
    assert.equal((await kit.writeOne(pulled)).outcome, 'updated')
  })
  assert.equal((await kit.record(record_id)).data, '{"a":"read"}')
})

test('an unchanged push protects its record from a pull that started before it', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":1}' })
  const read = await school.startRead()
  const same = pushWrite(school, { data: '{"a":1}' })
  assert.equal((await kit.writeOne(same)).outcome, 'unchanged')
  const pulled = pullWrite(read, { data: '{"a":2}' })
  assert.equal((await kit.writeOne(pulled)).outcome, 'stale')
  assert.equal((await kit.record(record_id)).data, '{"a":1}')
})

test('an unchanged push before the pull started does not protect its record', async (kit) => {
  const school = await kit.register()
  await school.post({ data: '{"a":1}' })
  await school.post({ data: '{"a":1}' })
  const read = await school.startRead()
  const pulled = pullWrite(read, { data: '{"a":2}' })
  assert.equal((await kit.writeOne(pulled)).outcome, 'updated')
})

test('a pull overwrites an earlier push even if its own data has not changed since the last pull', async (kit) => {
  const school = await kit.register()
  const read = async (expected: string) =>
    school.pull(async (one) => {
      const result = await kit.writeOne(pullWrite(one, { data: '{"a":"read"}' }))
      assert.equal(result.outcome, expected)
    })
  await read('created')
  await school.post({ data: '{"a":"pushed"}' })
  await read('updated')
  await read('unchanged')
  assert.equal(only(await kit.records()).data, '{"a":"read"}')
})

test('an earlier push is not stale for a record that the pull did not contain', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'unlisted', data: '{"a":1}' })
  const read = await school.startRead({
    requested_at: '2026-03-10T08:00:00.000000000Z',
  })
  await kit.write(pullWrite(read, { reference: 'listed' }))
  await kit.finishRead(read)
  const earlier = { occurred_at: '2026-03-10T07:00:00.000000000Z', data: '{"a":2}' }
  const pushes = ['unlisted', 'listed'].map((reference) =>
    pushWrite(school, { reference, ...earlier }),
  )
  assert.deepEqual(await kit.outcomesOf(...pushes), ['updated', 'stale'])
})

test('a pull without changes changes no record, history, snapshot or platform', async (kit) => {
  const school = await kit.register()
  const references = Array.from({ length: 20 }, (_, index) => `r-${index}`)
  await school.pull(async (read) => {
    await kit.write(...references.map((reference) => pullWrite(read, { reference })))
  })
  const read = await school.startRead()
  const before = await readState(kit)
  kit.clock.advance(60)
  const writes = references.map((reference) => pullWrite(read, { reference }))
  const outcomes = await kit.outcomesOf(...writes)
  assert.deepEqual(new Set(outcomes), new Set(['unchanged']))
  assert.deepEqual(await readState(kit), before)
})

test('a record with reordered or reformatted JSON is unchanged', async (kit) => {
  const school = await kit.register()
  for (const data of ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"b":2, "a":1}']) {
    await school.pull(async (read) => {
      await kit.write(pullWrite(read, { data }))
    })
  }
  const record = only(await kit.records())
  assert.equal(record.data, '{"a":1,"b":2}')
  assert.deepEqual(await kit.history(record.record_id), [])
})

test('a duplicate reference in one batch of a pull is rejected, and the first record is stored', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const outcomes = await kit.write(
    pullWrite(read, { data: '{"a":"first"}' }),
    pullWrite(read, { reference: 'R-1' }),
    pullWrite(read, { data: '{"a":"second"}' }),
    pullWrite(read, { data: '{"a":"first"}' }),
  )
  assert.deepEqual(outcomesOf(outcomes), [
    'created',
    'created',
    'duplicate_reference',
    'duplicate_reference',
  ])
  const [created] = outcomes
  assert.ok(created?.outcome === 'created')
  for (const duplicate of outcomes.slice(2)) {
    assert.ok('record_id' in duplicate)
    assert.equal(duplicate.record_id, created.record_id)
  }
  const [first] = await kit.records({ reference_number: 'r-1' })
  assert.equal(first?.data, '{"a":"first"}')
  assert.equal(read.read.seen.size, 2)
})

test('a duplicate of a reference from an earlier batch is rejected, regardless of the first outcome', async (kit) => {
  const school = await kit.register()
  await school.pull(async (read) => {
    await kit.write(pullWrite(read, { reference: 'same' }))
  })
  const read = await school.startRead()
  await school.post({ reference: 'pushed' })
  const references = ['new', 'same', 'pushed']
  const elements = (data: string) =>
    references.map((reference) => pullWrite(read, { reference, data }))
  const first = await kit.outcomesOf(...elements('{}'))
  assert.deepEqual(first, ['created', 'unchanged', 'stale'])
  for (const data of ['{}', '{"a":"other"}']) {
    const again = await kit.outcomesOf(...elements(data))
    assert.deepEqual(new Set(again), new Set(['duplicate_reference']))
  }
  for (const row of await kit.records()) assert.equal(row.data, '{}')
})

test('pulling the same response again, with its duplicates, changes nothing', async (kit) => {
  const school = await kit.register()
  const response = ['{"a":1}', '{"a":2}']
  for (const expected of ['created', 'unchanged', 'unchanged']) {
    await school.pull(async (read) => {
      const outcomes = await kit.write(...response.map((data) => pullWrite(read, { data })))
      assert.deepEqual(outcomesOf(outcomes), [expected, 'duplicate_reference'])
    })
  }
})

test('equal references of different modules in one batch are not duplicates', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const pull = await kit.startPull()
  const students = await kit.startRead(pull, school)
  const staff = await kit.startRead(pull, school, { record_type: 'staff' })
  const outcomes = await kit.write(pullWrite(students), pullWrite(staff))
  assert.deepEqual(outcomesOf(outcomes), ['created', 'created'])
  assert.deepEqual([students.read.seen.size, staff.read.seen.size], [1, 1])
})

async function readState(kit: StorageKit): Promise<unknown> {
  const { storage, clock } = kit
  const records = await kit.records()
  const histories = records.map((record) => kit.history(record.record_id))
  // The running pull changes with the clock.
  const { pull: _, ...snapshot } = await storage.snapshot.readSnapshot(clock.day)
  return {
    records,
    history: await Promise.all(histories),
    snapshot,
    platforms: await storage.platforms.listPlatforms(),
  }
}
