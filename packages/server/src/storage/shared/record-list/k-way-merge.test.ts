import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/helpers/random/fast-check.ts'
import { mergeSteps } from './k-way-merge.ts'
import { comparePositions } from './record-order.ts'
import { type Found, type ReadStep, toStep, walk } from './record-scan.ts'

const inOrder = comparePositions({ descending: false })

function found(record_id: number): Found {
  const row = {
    ...{ record_id, platform_name: '', module_name: '', record_type: '', reference_number: '' },
    ...{ full_name: '', data: '{}', incomplete: 0, missing_since: null },
    ...{ created_at: '', updated_at: '', change_seq: record_id },
  }
  return { row, position: { value: record_id, record_id } }
}

/** A list that reports how many records are read. It returns only ids divisible by `every`. */
function listOf(ids: number[], read: (count: number) => void, every = 1): ReadStep {
  const all = ids.toSorted((one, other) => one - other).map(found)
  return async (after, limit) => {
    const rest = all.filter(({ position }) => after === null || inOrder(position, after) > 0)
    const step = toStep(rest.slice(0, limit), limit)
    read(step.records.length)
    return { ...step, records: step.records.filter(({ row }) => row.record_id % every === 0) }
  }
}

test('merged lists return every record once, in order, for any page size', async () => {
  const owners = fc.array(fc.nat(6), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(owners, fc.integer({ min: 1, max: 9 }), fc.nat(2), async (of, limit, skip) => {
      const idsOf = (owner: number) => of.flatMap((one, id) => (one === owner ? [id] : []))
      const seen: number[] = []
      let after: Found['position'] | null = null
      do {
        const lists = Array.from({ length: 7 }, (_, owner) =>
          listOf(idsOf(owner), () => undefined, skip + 1),
        )
        const options = { after, limit, matches: () => true, until: Number.POSITIVE_INFINITY }
        const walked = await walk(mergeSteps(lists, inOrder), options)
        seen.push(...walked.found.slice(0, limit).map(({ row }) => row.record_id))
        after = walked.found.length < limit ? null : (walked.found.at(-1)?.position ?? null)
      } while (after !== null)
      const expected = of.flatMap((_, id) => (id % (skip + 1) === 0 ? [id] : []))
      assert.deepEqual(seen, expected)
    }),
  )
})

test('merging a thousand lists reads little more than one page', async () => {
  let read = 0
  const lists = Array.from({ length: 1000 }, (_, owner) =>
    listOf(
      Array.from({ length: 600 }, (_, n) => n * 1000 + owner),
      (count) => {
        read += count
      },
    ),
  )
  const options = { after: null, limit: 501, matches: null, until: Number.POSITIVE_INFINITY }
  const { found: page } = await walk(mergeSteps(lists, inOrder), options)
  assert.deepEqual(
    page.map(({ row }) => row.record_id),
    Array.from({ length: 501 }, (_, n) => n),
  )
  assert.ok(read < 4000, `${read} records were read`)
})
