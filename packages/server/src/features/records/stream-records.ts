import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { Position, RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import { SCAN_MS } from './list-records.ts'
import type { ListQuery } from './record-cursor.ts'

/** A chunk is read while nobody else is served, so it is to be small, however large its records are. */
const CHUNK_BYTES = 256 * 1024
const FIRST_ROWS = 16
const MAX_ROWS = 500
/** What was quick enough once is not broken off half sent because the machine is busy. */
const LATER_SCAN_MS = 15 * SCAN_MS

/**
 * Every record of a query, in chunks of about 256 KiB that are read as they are taken, empty ones where it
 * took long to find the next. A record that does not move in the query's order meanwhile comes once.
 * @throws HubError `sort_too_slow`, with the first chunk where the machine is not getting slower.
 */
export async function* streamRecords(
  records: Pick<RecordStore, 'listRecords'>,
  query: ListQuery,
): AsyncGenerator<RecordRow[]> {
  let limit = FIRST_ROWS
  let after: Position | null = null
  for (;;) {
    const scan_ms = after === null ? SCAN_MS : LATER_SCAN_MS
    const page = await records.listRecords({ ...query, limit, after, backwards: false, scan_ms })
    if (page.outcome === 'too_slow') throw new HubError('sort_too_slow', { sort: query.sort })
    yield page.records
    if (!page.has_more) return
    after = page.stopped_at ?? page.last
    limit = nextLimit(page.records, limit)
    // Those who wait for the event loop come first.
    await yieldToEventLoop()
  }
}

/** The same chunks, of which the first one is read already: what cannot be read fails before anything is sent. */
export async function begin(
  chunks: AsyncGenerator<RecordRow[]>,
): Promise<AsyncGenerator<RecordRow[]>> {
  const first = await chunks.next()
  return goOn(first, chunks)
}

async function* goOn(
  first: IteratorResult<RecordRow[], void>,
  rest: AsyncGenerator<RecordRow[]>,
): AsyncGenerator<RecordRow[]> {
  if (first.done) return
  yield first.value
  yield* rest
}

function nextLimit(rows: RecordRow[], limit: number): number {
  const bytes = rows.reduce((sum, row) => sum + row.data.length, 1)
  const fitting = rows.length === 0 ? limit : Math.floor((CHUNK_BYTES * rows.length) / bytes)
  return Math.max(1, Math.min(fitting, limit * 4, MAX_ROWS))
}
