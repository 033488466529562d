import { type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { sql } from 'kysely'
import type { FilteredRecord } from '../../../domain/record/record-match.ts'
import type { RecordRow } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'

/** The columns of a listed record without its data, which is most of a record's size. */
export const LIGHT_COLUMNS = [
  'r.record_id',
  'p.platform_name',
  'm.module_name',
  'm.record_type',
  'r.reference_number',
  'r.full_name',
  'r.incomplete',
  'r.missing_since',
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

export type SelectedRecord = Awaited<
  ReturnType<ReturnType<typeof selectRecords>['execute']>
>[number]

export function toRecordRow(row: SelectedRecord): RecordRow {
  const { incomplete, ...record } = row
  return { ...record, incomplete: incomplete === 1 }
}

/** Returns a record as filters read it. The data is parsed when a filter reads it for the first time. */
export function toFilteredRecord(row: SelectedRecord): FilteredRecord {
  const { data: text, incomplete, ...record } = row
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
