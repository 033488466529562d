/** Records as the indexes over the hub's columns give them: so many, in order, from a position on. */
import type { RecordSort } from '@recordhub/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Position } from '../port/record-list-store.ts'
import type { Executor } from './databases.ts'
import type { Place } from './record-places.ts'
import { type SelectedRecord, selectRecords } from './record-rows.ts'

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
  place: Place | null
  after: Position | null
  /** Records whose last change came before are left out. */
  least_change_seq: number
  limit: number
  /** How much of a name the engine's index takes, in characters; null for all of it. */
  nameIndexLength: number | null
}

export function selectPage(db: Executor, page: HubPage): Promise<SelectedRecord[]> {
  const { sort, falling, place, after, least_change_seq } = page
  const column = SORT_COLUMNS[sort]
  const beginning = sort === 'full_name' ? page.nameIndexLength : null
  const direction = falling ? 'desc' : 'asc'
  let select = selectRecords(db)
  if (place) {
    select = select
      .where('r.platform_id', '=', place.platform_id)
      .where('r.module_id', '=', place.module_id)
  }
  if (least_change_seq > 0) select = select.where('r.change_seq', '>=', least_change_seq)
  if (after !== null) {
    const keys = [sql.ref(column), sql.ref('r.record_id')]
    const values = [sql`${after.value}`, sql`${after.record_id}`]
    if (beginning !== null) {
      keys.unshift(beginningOf(sql.ref(column), beginning))
      values.unshift(beginningOf(sql`${after.value}`, beginning))
    }
    const comparison = sql.raw(falling ? '<' : '>')
    select = select.where(sql<boolean>`(${sql.join(keys)}) ${comparison} (${sql.join(values)})`)
  }
  if (beginning !== null) {
    select = select.orderBy(beginningOf(sql.ref(column), beginning), direction)
  }
  return select
    .orderBy(column, direction)
    .orderBy('r.record_id', direction)
    .limit(page.limit)
    .execute()
}

function beginningOf(text: RawBuilder<unknown>, length: number): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(length)})`
}
