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

/** Selects records with the names of their platforms and modules, including removed platforms. */
export function selectRecords(db: Executor) {
  return (
    db
      .selectFrom('records as r')
      .innerJoin('modules as m', 'm.module_id', 'r.module_id')
      .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
      .select([...LIGHT_COLUMNS, 'r.data'])
      // True for every record: the condition of PostgreSQL's partial indexes for lists.
      .where(sql<boolean>`r.pushed_seq >= 0`)
  )
}

export type SelectedRecord = Awaited<
  ReturnType<ReturnType<typeof selectRecords>['execute']>
>[number]

export function toRecordRow(row: SelectedRecord): RecordRow {
  const { incomplete, ...record } = row
  return { ...record, incomplete: incomplete === 1 }
}

/** A record as filters use it. Its data is parsed when a filter first reads it. */
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
