/**
 * A list reads many records at once, and an element may be as large as a response of a platform: large data is read apart,
 * by its size.
 */
import { type RawBuilder, sql } from 'kysely'
import { splitByBytes } from '../../../lib/collections/pagination.ts'
import type { Position } from '../../port/record-list-store.ts'
import { type ListedRecord, type SelectedRecord, selectRecords } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'

export type ScannedRecord = { row: SelectedRecord; position: Position }
/** Its data is null if it is large. */
export type FoundRecord = { row: ListedRecord; position: Position }

/** Reads records with large data by their ids. Those that have been deleted since they were found are left out. */
export type LargeDataReader = {
  /** Returns the size of each record's data, in bytes. */
  measure(ids: number[]): Promise<ReadonlyMap<number, number>>
  /** Returns whole records, whose columns are of one version. */
  read(ids: number[]): Promise<SelectedRecord[]>
}

export function createLargeDataReader(deps: {
  db: Executor
  /** Returns a subquery of these ids. */
  dialect: { idList: (ids: number[]) => RawBuilder<number> }
}): LargeDataReader {
  const { db, dialect } = deps
  return {
    async measure(ids) {
      const rows = await db
        .selectFrom('records')
        .select(['record_id', sql<number>`octet_length(data)`.as('bytes')])
        .where('record_id', 'in', dialect.idList(ids))
        .execute()
      return new Map(rows.map((row) => [row.record_id, row.bytes]))
    },
    read: (ids) => selectRecords(db).where('r.record_id', 'in', dialect.idList(ids)).execute(),
  }
}

/** The large data that is read at once, in bytes, unless that of a single record is larger. */
const MAX_READ_BYTES = 4_000_000

/**
 * Completes found records, in parts whose large data has a limited size.
 * @returns `last` is the position of the last record of a part; null for the last part.
 */
export async function* readLargeData(
  reader: LargeDataReader,
  found: FoundRecord[],
): AsyncGenerator<{ records: ScannedRecord[]; last: Position | null }> {
  if (found.every(isComplete)) return yield { records: found, last: null }
  const idsOf = (records: FoundRecord[]) =>
    records.flatMap((record) => (isComplete(record) ? [] : [record.row.record_id]))
  const sizes = await reader.measure(idsOf(found))
  const sized = found.map((record) => ({ record, bytes: sizes.get(record.row.record_id) ?? 0 }))
  const parts = splitByBytes(sized, MAX_READ_BYTES)
  for (const [index, part] of parts.entries()) {
    const records = part.map(({ record }) => record)
    const large = await reader.read(idsOf(records))
    const rowOf = new Map(large.map((row) => [row.record_id, row]))
    const complete = records.flatMap((record) => {
      if (isComplete(record)) return [record]
      const row = rowOf.get(record.row.record_id)
      return row ? [{ row, position: record.position }] : []
    })
    const isLast = index === parts.length - 1
    yield { records: complete, last: isLast ? null : (records.at(-1)?.position ?? null) }
  }
}

function isComplete(record: FoundRecord): record is ScannedRecord {
  return record.row.data !== null
}
