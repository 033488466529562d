import type { RecordQuery, RecordRow, RecordStore } from '../port/record-store.ts'
import type { Databases, Executor } from './databases.ts'

type RecordReads = Omit<RecordStore, 'applyWrites'>

/**
 * The column that a sort goes by. Records are made in the order of their ids and changed in the order
 * of `change_seq`, which unlike the times are unique and have an index.
 */
export const SORT_COLUMNS = {
  record_id: 'r.record_id',
  created_at: 'r.record_id',
  updated_at: 'r.change_seq',
  reference_number: 'r.reference_number',
  full_name: 'r.full_name',
} as const satisfies Record<RecordQuery['sort'], string>

export function createRecordReads({ reader }: Databases): RecordReads {
  return {
    async listRecords(query) {
      const place = await findPlace(reader, query)
      if (place === 'nowhere') return []
      const column = SORT_COLUMNS[query.sort]
      const direction = query.descending ? 'desc' : 'asc'
      let select = selectRecords(reader)
      if (place.platform_id !== null) select = select.where('r.platform_id', '=', place.platform_id)
      if (place.module_ids !== null) select = select.where('r.module_id', 'in', place.module_ids)
      if (query.reference_number !== null) {
        select = select.where('r.reference_number', '=', query.reference_number)
      }
      const { after } = query
      const beyond = query.descending ? '<' : '>'
      if (after !== null) {
        select = select.where((eb) =>
          eb(eb.refTuple(column, 'r.record_id'), beyond, eb.tuple(after.value, after.record_id)),
        )
      }
      const rows = await select
        .orderBy(column, direction)
        .orderBy('r.record_id', direction)
        .limit(query.limit)
        .execute()
      return rows.map(toRecordRow)
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
  return db
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
}

type SelectedRecord = Awaited<ReturnType<ReturnType<typeof selectRecords>['execute']>>[number]

function toRecordRow(row: SelectedRecord): RecordRow {
  const { incomplete, ...record } = row
  return { ...record, incomplete: incomplete === 1 }
}

type Place = { platform_id: number | null; module_ids: number[] | null }

/** Turns names into ids first, so that the page itself walks one index. */
async function findPlace(
  db: Executor,
  { platform, record_type }: Pick<RecordQuery, 'platform' | 'record_type'>,
): Promise<Place | 'nowhere'> {
  if (platform === null && record_type === null) return { platform_id: null, module_ids: null }
  let select = db
    .selectFrom('platforms as p')
    .leftJoin('modules as m', 'm.platform_id', 'p.platform_id')
    .select(['p.platform_id', 'm.module_id'])
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (record_type !== null) select = select.where('m.record_type', '=', record_type)
  const rows = await select.execute()
  if (rows.length === 0) return 'nowhere'
  const module_ids = rows.map((row) => row.module_id).filter((id) => id !== null)
  return {
    platform_id: platform === null ? null : (rows[0]?.platform_id ?? null),
    module_ids: record_type === null ? null : module_ids,
  }
}
