import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { NO_FILTER } from '../../domain/record/record-query.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordQuery, RecordRow } from '../../storage/port/record-store.ts'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportRecords,
  nameExportFile,
  streamRecords,
} from './export-records.ts'

const ROW: RecordRow = {
  record_id: 1,
  platform_name: 'school',
  module_name: 'Students',
  record_type: 'students',
  reference_number: 'r-1',
  full_name: 'Ann',
  data: '{}',
  incomplete: false,
  missing_since: null,
  missing_reason: null,
  created_at: '2026-03-10T08:00:00.000Z',
  updated_at: '2026-03-10T08:00:00.000Z',
  change_seq: 1,
}

function exported(format: ExportFormat, chunks: AsyncGenerator<RecordRow[]>) {
  const options = { format, columns: null, header: 'key' as const, raw: false, bom: false }
  return exportRecords(chunks, [], options)
}

for (const format of EXPORT_FORMATS) {
  test(`${format} records are read on demand, and reading stops when the client leaves`, async () => {
    let read = 0
    const large = { ...ROW, data: `{"a":"${crypto.randomUUID().repeat(2000)}"}` }
    await leave(format, () => {
      read += 1
      return [large]
    })
    assert.ok(read < 100, `${read} chunks were read`)
  })

  test(`${format} reading stops when the client leaves while no more records are found`, async () => {
    const rows = Array.from({ length: 1000 }, () => ROW)
    await leave(format, () => rows.splice(0))
  })
}

/** Reads the beginning of an export without an end. Resolves when reading its records has ended. */
async function leave(format: ExportFormat, readChunk: () => RecordRow[]): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  async function* endless(): AsyncGenerator<RecordRow[]> {
    try {
      for (;;) {
        yield readChunk()
        await yieldToEventLoop()
      }
    } finally {
      end()
    }
  }
  const stream = exported(format, endless())
  await once(stream, 'readable')
  assert.ok(stream.read() !== null)
  stream.destroy()
  await ended
}

test('chunks are limited in bytes and contain each record once', async () => {
  const sizes = [10, 10, 300_000, 10, 700_000, 10, 10, 900_000, ...Array(3000).fill(100)]
  const rows = sizes.map((size, index) => ({
    ...ROW,
    record_id: index + 1,
    data: `"${'x'.repeat(size)}"`,
  }))
  const limits: number[] = []
  const records = {
    async listRecords({ after, limit }: RecordQuery) {
      limits.push(limit)
      const from = after?.record_id ?? 0
      const page = rows.slice(from, from + limit)
      const last = { value: null, record_id: from + page.length }
      return {
        outcome: 'listed' as const,
        records: page,
        first: null,
        last,
        has_more: last.record_id < rows.length,
        stopped_at: null,
        estimated_total: rows.length,
        is_estimate: false,
      }
    },
  }
  const query = { ...NO_FILTER, sort: 'record_id' as const, descending: false }
  const scope = {
    ...{ everywhere: true, all: true, modules: [], kinds: new Map() },
    ...{ reviewed: null, last_removal: 0 },
  }
  const seen: number[] = []
  for await (const chunk of streamRecords(records, { query, scope })) {
    seen.push(...chunk.map((row) => row.record_id))
  }
  assert.deepEqual(
    seen,
    rows.map((row) => row.record_id),
  )
  assert.ok(limits.every((limit) => limit >= 1 && limit <= 500))
  assert.ok(limits.some((limit) => limit <= 8) && limits.some((limit) => limit === 500))
})

test('an export file name is safe on every system and preserves Unicode where allowed', () => {
  assert.equal(
    nameExportFile(['school', 'students', '2026-11-21'], 'csv'),
    `attachment; filename="recordhub-school-students-2026-11-21.csv"; filename*=UTF-8''recordhub-school-students-2026-11-21.csv`,
  )
  const nasty = nameExportFile(['../a"b\r\nX: y', '學校 (ä)', '\ud800'], 'xlsx')
  assert.match(nasty, /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.%-]+$/)
  assert.ok(nasty.includes(encodeURIComponent('學校')))
})
