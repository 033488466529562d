import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReader } from '../../../../test/helpers/storage/record-reader.ts'
import { collectRecords } from './record-page.ts'
import { type RecordScan, toLocated } from './record-scan.ts'

/** A scan of records 1 to 100 that locates them all in one step. */
function createScan(size: number | null): RecordScan {
  return {
    ...{ size, allMatch: false },
    async locate(after) {
      const first = (after?.record_id ?? 0) + 1
      const ids = Array.from({ length: 101 - first }, (_, at) => first + at)
      const located = ids.map((id) => toLocated({ value: id, record_id: id }))
      return { located, examined: located.length, next: null }
    },
  }
}

for (const [what, size] of [
  ['the whole list', null],
  ['what an index has found', 100],
] as const) {
  test(`a scan of ${what} ends at its time limit within a step, and the next one continues there`, async (t) => {
    let now = 0
    t.mock.method(performance, 'now', () => now)
    const found: number[] = []
    let after = null
    let requests = 0
    do {
      const page: Awaited<ReturnType<typeof collectRecords>> = await collectRecords(
        createReader(),
        createScan(size),
        { after, limit: 50 },
        {
          matches({ record_id }) {
            now += 300
            return record_id % 10 === 0
          },
          deadline: now + 2000,
        },
      )
      found.push(...page.records.map(({ row }) => row.record_id))
      assert.ok(page.examined <= 7, `${page.examined} records took longer than the limit`)
      after = page.stopped_at
      requests += 1
    } while (after !== null)
    assert.deepEqual(found, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    assert.equal(requests, 15)
  })
}
