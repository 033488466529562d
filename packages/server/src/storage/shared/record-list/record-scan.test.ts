import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/helpers/random/fast-check.ts'
import { createReader } from '../../../../test/helpers/storage/record-reader.ts'
import type { Position } from '../../port/record-list-store.ts'
import { collectRecords } from './record-page.ts'
import {
  createCompare,
  mergeScans,
  type RecordScan,
  readSteps,
  toLocated,
  toStep,
} from './record-scan.ts'

const compare = createCompare({ descending: false })
const READER = createReader()

const toPosition = (record_id: number) => ({ value: record_id, record_id })

/** A scan whose prefilter excludes all ids that are not divisible by `every`. Reports the number that it locates. */
function createScan(ids: number[], onLocate: (count: number) => void, every = 1): RecordScan {
  const all = ids.toSorted((one, other) => one - other).map(toPosition)
  return {
    size: null,
    allMatch: false,
    async locate(after, limit) {
      const remaining = all.filter((position) => after === null || compare(position, after) > 0)
      const step = toStep(remaining.slice(0, limit).map(toLocated), limit)
      onLocate(step.located.length)
      const located = step.located.filter(({ position }) => position.record_id % every === 0)
      return { ...step, located }
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
        let after: Position | null = null
        do {
          const scans = Array.from({ length: 7 }, (_, owner) =>
            createScan(idsOf(owner), () => undefined, skip + 1),
          )
          const filter = { matches: () => true, deadline: Number.POSITIVE_INFINITY }
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

test('merging hundreds of scans locates little more than one page', async () => {
  let located = 0
  const scans = Array.from({ length: SCANS }, (_, owner) =>
    createScan(
      Array.from({ length: 600 }, (_, n) => n * SCANS + owner),
      (count) => {
        located += count
      },
    ),
  )
  const query = { after: null, limit: 500 }
  const filter = { matches: null, deadline: Number.POSITIVE_INFINITY }
  const page = await collectRecords(READER, mergeScans(scans, compare), query, filter)
  assert.ok(page.isFull)
  assert.deepEqual(
    page.records.map(({ row }) => row.record_id),
    Array.from({ length: 500 }, (_, n) => n),
  )
  assert.ok(located < 4000, `${located} records were located`)
})

test('records are read by their size, and their order, count and end stay the same', async () => {
  const MB = 1_000_000
  // Small records come first, so that a step locates many of the large ones.
  const sizeOf = (id: number) => (id < 100 ? 2000 : id === 300 ? 16 * MB : 1.5 * MB)
  const atOnce: number[] = []
  const reader = createReader({ sizeOf, onRead: (bytes) => atOnce.push(bytes) })
  const ids = Array.from({ length: 400 }, (_, id) => id)
  const steps = await Array.fromAsync(
    readSteps(
      reader,
      createScan(ids, () => undefined),
      {
        ...{ after: null, firstStep: 64, maxRecords: () => Number.POSITIVE_INFINITY },
      },
    ),
  )
  const idsOf = steps.map(({ records }) => records.map(({ row }) => row.record_id))
  assert.deepEqual(idsOf.flat(), ids)
  assert.ok(
    atOnce.every((bytes) => bytes <= 4 * MB || bytes === 16 * MB),
    String(atOnce),
  )
  for (const [at, { examined, next }] of steps.entries()) {
    assert.equal(examined, idsOf[at]?.length)
    assert.equal(next?.record_id, at === steps.length - 1 ? undefined : idsOf[at]?.at(-1))
  }
})
