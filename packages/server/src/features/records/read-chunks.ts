import type { RecordQuery, RecordRow, RecordStore } from '../../storage/port/record-store.ts'
import { placeAfter } from './list-records.ts'

/** Which records, without the page: all of a query's, or in the order in which they are stored. */
export type WholeQuery = Omit<RecordQuery, 'limit' | 'after'>

/** A chunk is read while nobody else is served, so it is to be small, however large its records are. */
const CHUNK_BYTES = 256 * 1024
const FIRST_ROWS = 16
const MAX_ROWS = 500

/**
 * Every record of a query, in chunks of about 256 KiB that are read as they are taken. A record that
 * does not move in the query's order meanwhile comes once.
 */
export async function* readChunks(
  records: Pick<RecordStore, 'listRecords'>,
  query: WholeQuery,
): AsyncGenerator<RecordRow[]> {
  let limit = FIRST_ROWS
  let after: RecordQuery['after'] = null
  for (;;) {
    const rows = await records.listRecords({ ...query, limit, after })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < limit) return
    after = placeAfter(last, query.sort)
    limit = nextLimit(rows, limit)
    // Those who wait for the event loop come first.
    await new Promise(setImmediate)
  }
}

function nextLimit(rows: RecordRow[], limit: number): number {
  const bytes = rows.reduce((sum, row) => sum + row.data.length, 1)
  const fitting = Math.floor((CHUNK_BYTES * rows.length) / bytes)
  return Math.max(1, Math.min(fitting, limit * 4, MAX_ROWS))
}
