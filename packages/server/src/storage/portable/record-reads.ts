import { type RawBuilder, sql } from 'kysely'
import type { RecordQuery, RecordRow, RecordStore } from '../port/record-store.ts'
import type { Databases, Executor } from './databases.ts'

type RecordReads = Omit<RecordStore, 'applyWrites' | 'tryWrites' | 'recogniseElements'>

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
} as const satisfies Record<RecordQuery['sort'], string>

/** @param nameIndexLength how much of a name the engine's index takes, in characters; null for all of it. */
export function createRecordReads(
  { reader }: Databases,
  nameIndexLength: number | null,
): RecordReads {
  return {
    async listRecords(query) {
      const isUnfiltered =
        query.platform === null && query.record_type === null && query.reference_number === null
      // Ids and changes have an index over all records; all else has one a module.
      if (isUnfiltered && !isNamedSort(query.sort)) {
        return (await selectPage(reader, query, nameIndexLength)).map(toRecordRow)
      }
      const pages: SelectedRecord[] = []
      for (const place of await findPlaces(reader, query)) {
        pages.push(...(await selectPage(reader, query, nameIndexLength, place)))
      }
      return pages.sort(orderOf(query)).slice(0, query.limit).map(toRecordRow)
    },

    async countRecords({ platform, record_type }) {
      let select = reader
        .selectFrom('module_counters as c')
        .innerJoin('modules as m', 'm.module_id', 'c.module_id')
        .innerJoin('platforms as p', 'p.platform_id', 'c.platform_id')
        .select((eb) => eb.fn.sum<number | null>('c.records').as('records'))
      if (platform !== null) select = select.where('p.platform_name', '=', platform)
      if (record_type !== null) select = select.where('m.record_type', '=', record_type)
      const row = await select.executeTakeFirst()
      return Number(row?.records ?? 0)
    },

    async readRecord(recordId) {
      const row = await selectRecords(reader).where('r.record_id', '=', recordId).executeTakeFirst()
      return row ? toRecordRow(row) : null
    },

    async listHistory({ record_id, limit, before }) {
      const record = await reader
        .selectFrom('records')
        .select('platform_id')
        .where('record_id', '=', record_id)
        .executeTakeFirst()
      if (!record) return []
      let select = reader
        .selectFrom('record_history')
        .select(['change_seq', 'at', 'source', 'changes', 'pull_id', 'request_id'])
        .where('platform_id', '=', record.platform_id)
        .where('record_id', '=', record_id)
      if (before !== null) select = select.where('change_seq', '<', before)
      return select.orderBy('change_seq', 'desc').limit(limit).execute()
    },
  }
}

export function selectRecords(db: Executor) {
  return (
    db
      .selectFrom('records as r')
      .innerJoin('modules as m', 'm.module_id', 'r.module_id')
      .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
      .select([
        'r.record_id',
        'p.platform_name',
        'm.module_name',
        'm.record_type',
        'r.reference_number',
        'r.full_name',
        'r.data',
        'r.incomplete',
        'r.missing_since',
        'r.created_at',
        'r.updated_at',
        'r.change_seq',
      ])
      // True of every record; PostgreSQL's indexes for lists are found by it.
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

type Place = { platform_id: number; module_id: number }

/** The first rows after the cursor, of one module or of all. */
function selectPage(
  db: Executor,
  query: RecordQuery,
  nameIndexLength: number | null,
  place: Place | null = null,
) {
  const column = SORT_COLUMNS[query.sort]
  const beginning = query.sort === 'full_name' ? nameIndexLength : null
  const direction = query.descending ? 'desc' : 'asc'
  let select = selectRecords(db)
  if (place) {
    select = select
      .where('r.platform_id', '=', place.platform_id)
      .where('r.module_id', '=', place.module_id)
  }
  const { after, reference_number } = query
  if (reference_number !== null) select = select.where('r.reference_number', '=', reference_number)
  if (after !== null) {
    const keys = [sql.ref(column), sql.ref('r.record_id')]
    const values = [sql`${after.value}`, sql`${after.record_id}`]
    if (beginning !== null) {
      keys.unshift(beginningOf(sql.ref(column), beginning))
      values.unshift(beginningOf(sql`${after.value}`, beginning))
    }
    const comparison = sql.raw(query.descending ? '<' : '>')
    select = select.where(sql<boolean>`(${sql.join(keys)}) ${comparison} (${sql.join(values)})`)
  }
  if (beginning !== null)
    select = select.orderBy(beginningOf(sql.ref(column), beginning), direction)
  return select
    .orderBy(column, direction)
    .orderBy('r.record_id', direction)
    .limit(query.limit)
    .execute()
}

function beginningOf(text: RawBuilder<unknown>, length: number): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(length)})`
}

/** The order of a query, as the engines keep it: text by its code points, which are its bytes. */
function orderOf(query: RecordQuery) {
  const turn = query.descending ? -1 : 1
  return (one: SelectedRecord, other: SelectedRecord): number => {
    const difference = isNamedSort(query.sort)
      ? Buffer.compare(Buffer.from(one[query.sort]), Buffer.from(other[query.sort]))
      : query.sort === 'updated_at'
        ? one.change_seq - other.change_seq
        : one.record_id - other.record_id
    return turn * (difference || one.record_id - other.record_id)
  }
}

function isNamedSort(sort: RecordQuery['sort']): sort is 'reference_number' | 'full_name' {
  return sort === 'reference_number' || sort === 'full_name'
}

export async function findPlaces(
  db: Executor,
  { platform, record_type }: Pick<RecordQuery, 'platform' | 'record_type'>,
): Promise<Place[]> {
  let select = db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['m.platform_id', 'm.module_id'])
    .where('p.removed_at', 'is', null)
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (record_type !== null) select = select.where('m.record_type', '=', record_type)
  return select.execute()
}
