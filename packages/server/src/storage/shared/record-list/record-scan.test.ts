import assert, { fail } from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/helpers/random/fast-check.ts'
import type { FoundRecord, LargeDataReader } from './large-data.ts'
import { collectRecords } from './record-page.ts'
import { createCompare, mergeScans, type RecordScan, readSteps, toStep } from './record-scan.ts'

const compare = createCompare({ descending: false })
/** No record is large. */
const READER: LargeDataReader = { measure: () => fail(), read: () => fail() }

function createRecord(record_id: number, data: string | null = '{}'): FoundRecord {
  const row = {
    ...{ record_id, platform_name: '', module_name: '', record_type: '', reference_number: '' },
    ...{ full_name: '', data, incomplete: 0, missing_since: null, taken_back: 0 },
    ...{ created_at: '', updated_at: '', change_seq: record_id },
  }
  return { row, position: { value: record_id, record_id } }
}

/** A scan whose prefilter excludes all ids that are not divisible by `every`. Reports the number of records it reads. */
function createScan(ids: number[], onRead: (count: number) => void, every = 1): RecordScan {
  const all = ids.toSorted((one, other) => one - other).map((id) => createRecord(id))
  return {
    size: null,
    allMatch: false,
    async readStep(after, limit) {
      const remaining = all.filter(({ position }) => after === null || compare(position, after) > 0)
      const step = toStep(remaining.slice(0, limit), limit)
      onRead(step.records.length)
      return { ...step, records: step.records.filter(({ row }) => row.record_id % every === 0) }
    },
  }
}

test('merged scans return every record once, in order, for any page size', async () => {
  const owners = fc.array(fc.nat(6), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      owners,
      fc.integer({ min: 1, max: 9 }),
      fc.nat(2),
      async (ownerOf, limit, skip) => {
        const idsOf = (scan: number) => ownerOf.flatMap((owner, id) => (owner === scan ? [id] : []))
        const seen: number[] = []
        let after: FoundRecord['position'] | null = null
        do {
          const scans = Array.from({ length: 7 }, (_, owner) =>
            createScan(idsOf(owner), () => undefined, skip + 1),
          )
          const filter = { matches: () => true, time: { isOver: () => false } }
          const page = await collectRecords(
            READER,
            mergeScans(scans, compare),
            { after, limit },
            filter,
          )
          seen.push(...page.records.map(({ row }) => row.record_id))
          after = page.isFull ? (page.records.at(-1)?.position ?? null) : null
        } while (after !== null)
        const expected = ownerOf.flatMap((_, id) => (id % (skip + 1) === 0 ? [id] : []))
        assert.deepEqual(seen, expected)
      },
    ),
  )
})

const SCANS = 300

test('merging hundreds of scans reads little more than one page', async () => {
  let read = 0
  const scans = Array.from({ length: SCANS }, (_, owner) =>
    createScan(
      Array.from({ length: 600 }, (_, n) => n * SCANS + owner),
      (count) => {
        read += count
      },
    ),
  )
  const query = { after: null, limit: 500 }
  const filter = { matches: null, time: { isOver: () => false } }
  const page = await collectRecords(READER, mergeScans(scans, compare), query, filter)
  assert.ok(page.isFull)
  assert.deepEqual(
    page.records.map(({ row }) => row.record_id),
    Array.from({ length: 500 }, (_, n) => n),
  )
  assert.ok(read < 4000, `${read} records were read`)
})

test('large data is read by its size, and the order, the count and the end of the records stay the same', async () => {
  const MB = 1_000_000
  // Small records come first, so that a step finds many of the large ones. One was deleted meanwhile.
  const sizeOf = (id: number) => (id < 100 || id === 200 ? 0 : id === 300 ? 16 * MB : 1.5 * MB)
  const atOnce: number[] = []
  const reader: LargeDataReader = {
    measure: async (ids) => new Map(ids.map((id) => [id, sizeOf(id)])),
    async read(ids) {
      atOnce.push(ids.reduce((sum, id) => sum + sizeOf(id), 0))
      return ids
        .filter((id) => id !== 200)
        .map((id) => ({ ...createRecord(id).row, data: `"${id}"` }))
    },
  }
  const ids = Array.from({ length: 400 }, (_, id) => id)
  const scan: RecordScan = {
    ...{ size: null, allMatch: false },
    async readStep(after, limit) {
      const rest = ids.slice((after?.record_id ?? -1) + 1)
      return toStep(
        rest.slice(0, limit).map((id) => createRecord(id, id < 100 ? '{}' : null)),
        limit,
      )
    },
  }
  const steps = await Array.fromAsync(
    readSteps(reader, scan, {
      ...{ after: null, firstStep: 64, maxRecords: () => Number.POSITIVE_INFINITY },
    }),
  )
  const rows = steps.flatMap(({ records }) => records.map(({ row }) => row))
  assert.deepEqual(
    rows.map(({ record_id, data }) => [record_id, data]),
    ids.filter((id) => id !== 200).map((id) => [id, id < 100 ? '{}' : `"${id}"`]),
  )
  assert.ok(
    atOnce.every((bytes) => bytes <= 4 * MB || bytes === 16 * MB),
    String(atOnce),
  )
  assert.equal(
    steps.reduce((sum, { examined }) => sum + examined, 0),
    ids.length,
  )
  assert.equal(steps.at(-1)?.next, null)
})
