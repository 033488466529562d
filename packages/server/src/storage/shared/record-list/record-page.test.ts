import assert, { fail } from 'node:assert/strict'
import { test } from 'node:test'
import { limitWork } from '../../../lib/time/work-limit.ts'
import type { SelectedRecord } from '../records/record-rows.ts'
import { collectRecords } from './record-page.ts'
import type { RecordScan } from './record-scan.ts'

const ROW: Omit<SelectedRecord, 'record_id'> = {
  ...{ platform_name: 'school', module_name: 'Cases', record_type: 'cases' },
  ...{ reference_number: 'r', full_name: '', incomplete: 0, missing_since: null, taken_back: 0 },
  ...{ created_at: '', updated_at: '', change_seq: 1, data: '{}' },
}

/** A scan of records 1 to 100 that reads them all in one step. */
function createScan(size: number | null): RecordScan {
  return {
    ...{ size, allMatch: false },
    async readStep(after) {
      const first = (after?.record_id ?? 0) + 1
      const records = Array.from({ length: 101 - first }, (_, at) => {
        const record_id = first + at
        return { row: { ...ROW, record_id }, position: { value: record_id, record_id } }
      })
      return { records, examined: records.length, next: null }
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
    t.mock.method(process, 'cpuUsage', (since = { user: 0 }) => ({
      ...{ user: now * 1000 - since.user, system: 0 },
    }))
    const found: number[] = []
    let after = null
    let requests = 0
    do {
      const page: Awaited<ReturnType<typeof collectRecords>> = await collectRecords(
        { measure: () => fail(), read: () => fail() },
        createScan(size),
        { after, limit: 50 },
        {
          matches({ record_id }) {
            now += 300
            return record_id % 10 === 0
          },
          time: limitWork(2000),
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
