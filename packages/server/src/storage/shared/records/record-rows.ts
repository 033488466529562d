import { type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { sql } from 'kysely'
import type { FilteredRecord } from '../../../domain/record/record-match.ts'
import { takeWithinBytes } from '../../../lib/collections/pagination.ts'
import type { RecordRow } from '../../port/record-list-store.ts'
import type { RecordStore } from '../../port/record-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { isVisible } from './module-scope.ts'

/** The columns of a listed record without its data. */
const LIGHT_COLUMNS = [
  'r.record_id',
  'p.platform_name',
  'm.module_name',
  'm.record_type',
  'r.reference_number',
  'r.full_name',
  'r.incomplete',
  'r.missing_since',
  'r.taken_back',
  'r.created_at',
  'r.updated_at',
  'r.change_seq',
] as const

/**
 * A condition that is true for every record. PostgreSQL's indexes for lists are partial indexes with this condition, and
 * it uses them only for queries that contain the condition.
 */
export const IN_LIST_INDEX = sql<boolean>`pushed_seq >= 0`

/** Selects records with the names of their platforms and modules, including those that are not visible. */
export function selectRecords(db: Executor) {
  return db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .select([...LIGHT_COLUMNS, 'r.data'])
    .where(IN_LIST_INDEX)
}

/** An element may be as large as a response of a platform, and a step of a list reads thousands. */
const MAX_LISTED_BYTES = 16_384

/** As {@link selectRecords}; data that is too large to be read with that of many other records is null. */
export function selectListed(db: Executor) {
  const data = sql<
    string | null
  >`CASE WHEN octet_length(r.data) <= ${sql.lit(MAX_LISTED_BYTES)} THEN r.data END`
  return selectRecords(db)
    .clearSelect()
    .select([...LIGHT_COLUMNS])
    .select(data.as('data'))
}

/** As {@link selectRecords}, without the data, which is most of a record's size: an empty object in its place. */
export function selectWithoutData(db: Executor) {
  return selectRecords(db)
    .clearSelect()
    .select([...LIGHT_COLUMNS])
    .select(sql<string>`'{}'`.as('data'))
}

export type SelectedRecord = Awaited<
  ReturnType<ReturnType<typeof selectRecords>['execute']>
>[number]
export type ListedRecord = Omit<SelectedRecord, 'data'> & { data: string | null }

export function toRecordRow(row: SelectedRecord): RecordRow {
  const { incomplete, taken_back, ...record } = row
  const missing_reason = taken_back === 1 ? 'taken_back' : 'absent'
  return {
    ...record,
    incomplete: incomplete === 1,
    missing_reason: row.missing_since === null ? null : missing_reason,
  }
}

/** Returns a record as filters read it. The data is parsed when a filter reads it for the first time. */
export function toFilteredRecord(row: SelectedRecord): FilteredRecord {
  const { data: text, incomplete, taken_back: _, ...record } = row
  let parsed: JsonValue | undefined
  return {
    ...record,
    incomplete: incomplete === 1,
    get data() {
      parsed ??= parseLossless(text)
      return parsed
    },
  }
}

export function createRecordReads({
  reader,
}: Pick<Databases, 'reader'>): Pick<RecordStore, 'readRecord' | 'listHistory'> {
  return {
    async readRecord(recordId) {
      const row = await selectRecords(reader)
        .where('r.record_id', '=', recordId)
        .where(isVisible('r'))
        .executeTakeFirst()
      return row ? toRecordRow(row) : null
    },

    async listHistory({ record_id, limit, maxBytes, before }) {
      const record = await reader
        .selectFrom('records as r')
        .select('r.platform_id')
        .where('r.record_id', '=', record_id)
        .where(isVisible('r'))
        .executeTakeFirst()
      if (!record) return { entries: [], has_more: false }
      const ofRecord = reader
        .selectFrom('record_history')
        .where((eb) => eb.and({ platform_id: record.platform_id, record_id }))
        .orderBy('change_seq', 'desc')
      // The size of the page is limited before any changes are read.
      const located = await (before === null ? ofRecord : ofRecord.where('change_seq', '<', before))
        .select(['change_seq', sql<number>`octet_length(changes)`.as('bytes')])
        .limit(limit + 1)
        .execute()
      const page = takeWithinBytes(located.slice(0, limit), maxBytes)
      const [first, last] = [page[0], page.at(-1)]
      if (!first || !last) return { entries: [], has_more: false }
      const entries = await ofRecord
        .select(['change_seq', 'at', 'source', 'changes', 'pull_id', 'request_id', 'revert_id'])
        .where('change_seq', '<=', first.change_seq)
        .where('change_seq', '>=', last.change_seq)
        .execute()
      return { entries, has_more: located.length > page.length }
    },
  }
}
