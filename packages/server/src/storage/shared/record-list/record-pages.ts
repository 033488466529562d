/** Records as the indexes over the hub's columns give them: so many, in order, from a position on. */
import type { RecordSort } from '@recordhub/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Position } from '../../port/record-list-store.ts'
import type { ModuleRef } from '../records/module-scope.ts'
import { type SelectedRecord, selectRecords } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'

/**
 * The column that a sort goes by. Records are made in the order of their ids and changed in the order
 * of `change_seq`, which unlike the times are unique and have an index.
 */
const SORT_COLUMNS = {
  record_id: 'r.record_id',
  created_at: 'r.record_id',
  updated_at: 'r.change_seq',
  reference_number: 'r.reference_number',
  full_name: 'r.full_name',
} as const satisfies Record<RecordSort, string>

export type HubPage = {
  sort: RecordSort
  /** Whether the numbers or texts fall, whichever way the list is read. */
  falling: boolean
  /** Of one module; null for all records. */
  place: ModuleRef | null
  after: Position | null
  /** Records whose last change came before are left out. */
  least_change_seq: number
  limit: number
  /** How much of a name the engine's index takes, in characters; null for all of it. */
  nameIndexLength: number | null
}

export function selectPage(db: Executor, page: HubPage): Promise<SelectedRecord[]> {
  let select = selectRecords(db).where(within(page))
  for (const key of keysOf(page)) select = select.orderBy(key, directionOf(page))
  return select.limit(page.limit).execute()
}

/**
 * Of as many records as a page holds those that a condition is true of, and where the page ends; the
 * others stay in the database.
 */
export async function selectStep(
  db: Executor,
  page: HubPage,
  condition: RawBuilder<boolean>,
): Promise<{ rows: SelectedRecord[]; end: Position | null }> {
  let ends = db
    .selectFrom('records as r')
    .select(['r.record_id', sql.ref<string | number>(SORT_COLUMNS[page.sort]).as('value')])
    .where(within(page))
  for (const key of keysOf(page)) ends = ends.orderBy(key, directionOf(page))
  const end =
    (await ends
      .offset(page.limit - 1)
      .limit(1)
      .executeTakeFirst()) ?? null
  let select = selectRecords(db).where(within(page)).where(condition)
  if (end) select = select.where(beside(page, end, page.falling ? '>=' : '<='))
  for (const key of keysOf(page)) select = select.orderBy(key, directionOf(page))
  return { rows: await select.execute(), end }
}

/** Of the place, beyond the position; the first part is true of every record, see `selectRecords`. */
function within(page: HubPage): RawBuilder<boolean> {
  const { place, least_change_seq, after, falling } = page
  const parts = [sql<boolean>`r.pushed_seq >= 0`]
  if (place) {
    parts.push(sql`r.platform_id = ${place.platform_id}`, sql`r.module_id = ${place.module_id}`)
  }
  if (least_change_seq > 0) parts.push(sql`r.change_seq >= ${least_change_seq}`)
  if (after) parts.push(beside(page, after, falling ? '<' : '>'))
  return sql<boolean>`${sql.join(parts, sql` AND `)}`
}

function beside(
  page: HubPage,
  { value, record_id }: Position,
  comparison: '<' | '>' | '<=' | '>=',
): RawBuilder<boolean> {
  const values = [sql`${value}`, sql`${record_id}`]
  const length = beginningLengthOf(page)
  if (length !== null) values.unshift(beginningOf(sql`${value}`, length))
  return sql<boolean>`(${sql.join(keysOf(page))}) ${sql.raw(comparison)} (${sql.join(values)})`
}

function keysOf(page: HubPage): RawBuilder<unknown>[] {
  const column = sql.ref(SORT_COLUMNS[page.sort])
  const length = beginningLengthOf(page)
  const keys = [column, sql.ref('r.record_id')]
  return length === null ? keys : [beginningOf(column, length), ...keys]
}

function directionOf({ falling }: HubPage): 'desc' | 'asc' {
  return falling ? 'desc' : 'asc'
}

function beginningLengthOf({ sort, nameIndexLength }: HubPage): number | null {
  return sort === 'full_name' ? nameIndexLength : null
}

function beginningOf(text: RawBuilder<unknown>, length: number): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(length)})`
}
