import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/helpers/random/fast-check.ts'
import { collectRecords } from './record-page.ts'
import {
  createCompare,
  mergeScans,
  type RecordScan,
  type ScannedRecord,
  toStep,
} from './record-scan.ts'

const compare = createCompare({ descending: false })

function createRecord(record_id: number): ScannedRecord {
  const row = {
    ...{ record_id, platform_name: '', module_name: '', record_type: '', reference_number: '' },
    ...{ full_name: '', data: '{}', incomplete: 0, missing_since: null, taken_back: 0 },
    ...{ created_at: '', updated_at: '', change_seq: record_id },
  }
  return { row, position: { value: record_id, record_id } }
}

/** A scan whose prefilter excludes all ids that are not divisible by `every`. Reports the number of records it reads. */
function createScan(ids: number[], onRead: (count: number) => void, every = 1): RecordScan {
  const all = ids.toSorted((one, other) => one - other).map(createRecord)
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
        let after: ScannedRecord['position'] | null = null
        do {
          const scans = Array.from({ length: 7 }, (_, owner) =>
            createScan(idsOf(owner), () => undefined, skip + 1),
          )
          const filter = { matches: () => true, deadline: Number.POSITIVE_INFINITY }
          const page = await collectRecords(mergeScans(scans, compare), { after, limit }, filter)
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
  const filter = { matches: null, deadline: Number.POSITIVE_INFINITY }
  const page = await collectRecords(mergeScans(scans, compare), query, filter)
  assert.ok(page.isFull)
  assert.deepEqual(
    page.records.map(({ row }) => row.record_id),
    Array.from({ length: 500 }, (_, n) => n),
  )
  assert.ok(read < 4000, `${read} records were read`)
})
