/** Reads the index of fields: which records of a module have which value, in the order of the values. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  type DataColumn,
  isDataColumn,
  keyOfColumn,
} from '../../../domain/record/record-query.ts'
import { MAX_KEY_LENGTH, sortKeyOfText } from '../../../domain/record/sort-key.ts'
import type { Position } from '../../port/record-list-store.ts'
import type { ModuleScope } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'

export type IndexedField = { field_id: number; platform_id: number; isNumeric: boolean }

/** The index of a field, where the list is of one module and the index is built as its manifest is now. */
export async function findIndexedField(
  db: Executor,
  { places: [place, ...others], isNumeric }: ModuleScope,
  column: DataColumn,
): Promise<IndexedField | null> {
  if (!place || others.length > 0) return null
  const field = await db
    .selectFrom('indexed_fields')
    .select(['field_id', 'platform_id', 'is_numeric'])
    .where('module_id', '=', place.module_id)
    .where('field_key', '=', keyOfColumn(column))
    .where('is_leaving', '=', 0)
    .whereRef('built_seq', '>=', 'build_to')
    .executeTakeFirst()
  const isNow = isNumeric(column)
  if (!field || (field.is_numeric === 1) !== isNow) return null
  return { field_id: field.field_id, platform_id: field.platform_id, isNumeric: isNow }
}

/** So many positions from one on; where the list is read backwards, those without a value come first. */
export async function readPositions(
  db: Executor,
  field: IndexedField,
  order: { falling: boolean; backwards: boolean; after: Position | null; limit: number },
): Promise<Position[]> {
  const { falling, backwards, after, limit } = order
  const parts = backwards ? [null, 'valued'] : ['valued', null]
  const from = after === null ? 0 : parts.indexOf(after.value === null ? null : 'valued')
  const positions: Position[] = []
  for (const part of parts.slice(from)) {
    if (positions.length === limit) break
    const start = part === parts[from] ? after : null
    positions.push(
      ...(await readPart(db, field, {
        isNull: part === null,
        falling,
        after: start,
        limit: limit - positions.length,
      })),
    )
  }
  return positions
}

function readPart(
  db: Executor,
  field: IndexedField,
  part: { isNull: boolean; falling: boolean; after: Position | null; limit: number },
): Promise<Position[]> {
  const direction = part.falling ? 'desc' : 'asc'
  const comparison = sql.raw(part.falling ? '<' : '>')
  let select = selectEntries(db, field)
  if (part.isNull) {
    select = select.where('sort_key', 'is', null)
    if (part.after) {
      select = select.where(sql<boolean>`record_id ${comparison} ${part.after.record_id}`)
    }
  } else {
    select = select.where('sort_key', 'is not', null).orderBy('sort_key', direction)
    if (part.after) {
      const { value, record_id } = part.after
      select = select.where(
        sql<boolean>`(sort_key, record_id) ${comparison} (${value}, ${record_id})`,
      )
    }
  }
  return select.orderBy('record_id', direction).limit(part.limit).execute()
}

function selectEntries(db: Executor, { platform_id, field_id }: IndexedField) {
  return db
    .selectFrom('record_index')
    .select(['sort_key as value', 'record_id'])
    .where('platform_id', '=', platform_id)
    .where('field_id', '=', field_id)
}

/** Ids of records of which a condition may hold, at most so many; null where the index does not help. */
export async function findByCondition(
  db: Executor,
  places: ModuleScope,
  { column, test, value }: Condition,
  limit: number,
): Promise<number[] | null> {
  if (!isDataColumn(column) || test === 'contains') return null
  const field = await findIndexedField(db, places, column)
  if (!field) return null
  const range = rangeOf(test, value, field.isNumeric)
  if (!range) return null
  const rows = await selectEntries(db, field).where(range).limit(limit).execute()
  return rows.map((row) => row.record_id)
}

function rangeOf(
  test: Condition['test'],
  value: string,
  isNumeric: boolean,
): RawBuilder<boolean> | null {
  const key = sortKeyOfText(value, isNumeric)
  switch (test) {
    case 'is':
      // A key that was cut off stands for every value that begins with it.
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
