import assert from 'node:assert/strict'
import type { WriteOutcome } from '../../../src/storage/port/record-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'

const ALL = { platform: null, record_type: null }

test('50 concurrent pushes of one new reference create one record', async (kit) => {
  const school = await kit.register()
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      kit.write(pushWrite(school, { data: `{"a":${index}}` })),
    ),
  )
  const outcomes = results.map(only)
  const ids = new Set(outcomes.map(idOf))
  assert.equal(ids.size, 1)
  assert.equal(outcomesOf(outcomes).filter((outcome) => outcome === 'created').length, 1)
  assert.equal(outcomesOf(outcomes).filter((outcome) => outcome === 'updated').length, 49)
  const record = only(await kit.records())
  assert.ok(ids.has(record.record_id))
  assert.equal((await kit.history(record.record_id)).length, 49)
  assert.equal(await kit.storage.records.countRecords(ALL), 1)
})

test('concurrent PATCHes of different keys are all stored', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post()
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      kit.write(pushWrite(school, { source: 'PATCH', data: `{"k${index}":${index}}` })),
    ),
  )
  const data: unknown = JSON.parse((await kit.record(record_id)).data)
  const expected = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`k${index}`, index]),
  )
  assert.deepEqual(data, expected)
})

test('concurrent batches with the same records in different orders all succeed', async (kit) => {
  const school = await kit.register()
  const references = Array.from({ length: 12 }, (_, index) => `r-${index}`)
  const results = await Promise.all(
    references.map((_, shift) => {
      const rotated = [...references.slice(shift), ...references.slice(0, shift)]
      const order = shift % 2 === 0 ? rotated : rotated.reverse()
      const data = `{"shift${shift}":1}`
      const writes = order.map((reference) =>
        pushWrite(school, { source: 'PATCH', reference, data }),
      )
      return kit.write(...writes)
    }),
  )
  const counted = outcomesOf(results.flat())
  assert.equal(counted.filter((outcome) => outcome === 'created').length, 12)
  assert.equal(counted.filter((outcome) => outcome === 'updated').length, 132)
  for (const row of await kit.records()) {
    assert.equal(Object.keys(JSON.parse(row.data)).length, 12)
  }
})

test('a batch of 5,000 records is stored completely and returns the outcomes in the order of the input', async (kit) => {
  const school = await kit.register()
  const references = Array.from({ length: 5000 }, (_, index) => `r-${index}`)
  const pushes = references.map((reference) => pushWrite(school, { reference }))
  const outcomes = await kit.write(...pushes)
  assert.deepEqual(new Set(outcomesOf(outcomes)), new Set(['created']))
  const rows = await kit.records()
  const byId = new Map(rows.map((row) => [row.record_id, row.reference_number]))
  const returned = outcomes.map((outcome) => byId.get(idOf(outcome)))
  assert.deepEqual(returned, references)
  assert.equal(await kit.storage.records.countRecords(ALL), 5000)
})

function idOf(outcome: WriteOutcome): number {
  assert.notEqual(outcome.outcome, 'rejected')
  return outcome.outcome === 'rejected' ? 0 : outcome.record_id
}
