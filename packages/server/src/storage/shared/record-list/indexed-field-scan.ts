/** Reads the index of a field: the records of a module in the order of the field's values. */
import { hasManyValues } from '@recordhub/protocol/data-path'
import { type DataKind, parseTimeSpan } from '@recordhub/protocol/field-filter'
import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  type DataColumn,
  isDataColumn,
  pathOfColumn,
  valuesOfCondition,
} from '../../../domain/record/record-query.ts'
import { isSortedAsNumber, MAX_KEY_LENGTH, sortKeyOfText } from '../../../domain/record/sort-key.ts'
import type { ListScope, Position } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'
import {
  type RecordScan,
  type ResolvedQuery,
  readAtPositions,
  type ScanDeps,
} from './record-scan.ts'

type IndexedField = { field_id: number; platform_id: number; kind: DataKind }

/** @returns null if the field has no index. */
export async function scanIndexedField(
  deps: ScanDeps,
  { query, scope }: ResolvedQuery,
  sort: DataColumn,
): Promise<RecordScan | null> {
  const field = await findIndexedField(deps.db, scope, sort)
  if (!field) return null
  const { backwards } = query
  const descending = query.descending !== backwards
  return {
    size: null,
    allMatch: false,
    async readStep(after, limit) {
      const range = { descending, backwards, after, limit }
      return readAtPositions(deps, await readPositions(deps.db, field, range), limit)
    },
  }
}

/** Returns null unless the list has one module, and the index is complete and has the type of the manifest. */
async function findIndexedField(
  db: Executor,
  scope: ListScope,
  column: DataColumn,
): Promise<IndexedField | null> {
  const [module, ...others] = scope.modules
  if (!module || others.length > 0) return null
  const field = await db
    .selectFrom('indexed_fields')
    .select(['field_id', 'platform_id', 'is_numeric'])
    .where('module_id', '=', module.module_id)
    .where('field_key', '=', pathOfColumn(column).text)
    .where('is_deleting', '=', 0)
    .whereRef('backfilled_seq', '>=', 'backfill_end_seq')
    .executeTakeFirst()
  const kind = scope.kinds.get(column) ?? 'text'
  if (!field || (field.is_numeric === 1) !== isSortedAsNumber(kind)) return null
  return { field_id: field.field_id, platform_id: field.platform_id, kind }
}

type Range = { descending: boolean; after: Position | null; limit: number }

/** Records without a value come last, or first if the list is read backwards. */
async function readPositions(
  db: Executor,
  field: IndexedField,
  { backwards, ...range }: Range & { backwards: boolean },
): Promise<Position[]> {
  const { after, limit } = range
  const read = (isNull: boolean, part: Range) => readPart(db, field, isNull, part)
  if (after && (after.value === null) !== backwards) return read(!backwards, range)
  const positions = await read(backwards, range)
  if (positions.length === limit) return positions
  const secondPart = { ...range, after: null, limit: limit - positions.length }
  return [...positions, ...(await read(!backwards, secondPart))]
}

/** @param isNull whether to read the records without a value, or those with one. */
function readPart(
  db: Executor,
  field: IndexedField,
  isNull: boolean,
  { descending, after, limit }: Range,
): Promise<Position[]> {
  const direction = descending ? 'desc' : 'asc'
  const comparison = sql.raw(descending ? '<' : '>')
  let select = selectEntries(db, field)
  if (isNull) {
    select = select.where('sort_key', 'is', null)
    if (after) select = select.where(sql<boolean>`record_id ${comparison} ${after.record_id}`)
  } else {
    select = select.where('sort_key', 'is not', null).orderBy('sort_key', direction)
    if (after) {
      select = select.where(
        sql<boolean>`(sort_key, record_id) ${comparison} (${after.value}, ${after.record_id})`,
      )
    }
  }
  return select.orderBy('record_id', direction).limit(limit).execute()
}

function selectEntries(db: Executor, { platform_id, field_id }: IndexedField) {
  return db
    .selectFrom('record_index')
    .select(['sort_key as value', 'record_id'])
    .where((eb) => eb.and({ platform_id, field_id }))
}

/**
 * Returns the ids of records that may match a condition, at most `limit`. Every indexed record that matches is among
 * them. Returns null if no index can be used.
 */
export async function findByCondition(
  db: Executor,
  scope: ListScope,
  condition: Condition,
  limit: number,
): Promise<number[] | null> {
  const { column, test } = condition
  if (!isDataColumn(column) || test === 'contains' || test === 'ne') return null
  // The index has one value of each record.
  if (hasManyValues(pathOfColumn(column))) return null
  const field = await findIndexedField(db, scope, column)
  if (!field) return null
  const equality = test === 'in' ? 'is' : test
  const ranges = valuesOfCondition(condition).map((value) => rangeOf(equality, value, field.kind))
  const usable = ranges.filter((range) => range !== null)
  if (usable.length < ranges.length) return null
  const isInRange = sql<boolean>`(${sql.join(usable, sql` OR `)})`
  const rows = await selectEntries(db, field).where(isInRange).limit(limit).execute()
  return rows.map((row) => row.record_id)
}

function rangeOf(
  test: Condition['test'],
  value: string,
  kind: DataKind,
): RawBuilder<boolean> | null {
  const isNumeric = isSortedAsNumber(kind)
  // Values of all kinds are compared, in ways that have no common order.
  const isMixed = kind === 'by_value'
  if (isMixed && (test !== 'is' || parseTimeSpan(value) !== null) && test !== 'empty') return null
  if (kind === 'date' && test !== 'starts' && test !== 'empty') return rangeOfTimes(test, value)
  const key = sortKeyOfText(value, isNumeric)
  switch (test) {
    case 'is':
      // A truncated key stands for every value that begins with it.
      return sql<boolean>`sort_key = ${key}`
    case 'after':
      return sql<boolean>`sort_key >= ${key}`
    case 'before':
      return sql<boolean>`sort_key <= ${key}`
    case 'starts': {
      if (isNumeric) return null
      const start = sortKeyOfText(value, false)
      const end = start + '\u{10ffff}'.repeat(MAX_KEY_LENGTH)
      return sql<boolean>`sort_key >= ${start} AND sort_key <= ${end}`
    }
    case 'empty': {
      const emptyText = sortKeyOfText('', isNumeric)
      return value === 'true' ? sql<boolean>`(sort_key IS NULL OR sort_key = ${emptyText})` : null
    }
    default:
      return null
  }
}

/** Zones shift times by less than this. */
const DAY = 86_400_000

/**
 * The keys of times begin with the day in their own zone. This is the range of days whose times may match; null for a value that is no time.
 */
function rangeOfTimes(test: Condition['test'], value: string): RawBuilder<boolean> | null {
  const span = parseTimeSpan(value)
  if (!span) return null
  const first = dayOf(Number(span.from / 1_000_000n) - DAY)
  const end = dayOf(Number(span.until / 1_000_000n) + 2 * DAY)
  if (test === 'after') return sql<boolean>`sort_key >= ${first}`
  if (test === 'before') return sql<boolean>`sort_key < ${end}`
  return sql<boolean>`sort_key >= ${first} AND sort_key < ${end}`
}

/** The day of a time, as it sorts among the days of four-digit years. */
function dayOf(at: number): string {
  const text = new Date(at).toISOString()
  if (text.startsWith('-')) return ''
  return text.startsWith('+') ? ':' : text.slice(0, 10)
}
