import { sql } from 'kysely'
import { takeWithinBytes } from '../../../lib/collections/pagination.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import type { ChangeQuery, ChangeRow, ChangeStore } from '../../port/record-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { isVisible, selectModuleRefs } from './module-scope.ts'
import { IN_LIST_INDEX, type SelectedRecord, selectRecords, toRecordRow } from './record-rows.ts'

type Sequence = {
  readLastSequence: (db: Executor) => Promise<number>
  readCommitWatermark: (db: Executor) => Promise<number>
}

/** @param includesHidden whether it includes records that are being deleted, as a backup does. */
export function createChangeStore(
  { reader }: Pick<Databases, 'reader'>,
  sequence: Sequence,
  includesHidden = false,
): ChangeStore {
  return {
    async listChanges(query) {
      const { after, limit, maxBytes } = query
      // The watermark is read first, so the queries below see every change up to it.
      const watermark = await sequence.readCommitWatermark(reader)
      if (after > watermark && after > (await sequence.readLastSequence(reader)))
        return { outcome: 'beyond' }
      const range = { after, through: watermark, limit: limit + 1 }
      const found = await locateDeleted(reader, range, query)
      for (const scope of await listScopes(reader, query)) {
        found.push(...(await locateChanged(reader, range, scope)))
      }
      found.sort((one, other) => one.change_seq - other.change_seq)
      const page = takeWithinBytes(found.slice(0, limit), maxBytes)
      const has_more = found.length > page.length
      const through = has_more ? page.at(-1)?.change_seq : watermark
      const changes = await readChanges(reader, page, includesHidden)
      return { outcome: 'found', changes, through: Math.max(after, through ?? 0), has_more }
    },
  }
}

type Range = { after: number; through: number; limit: number }

/**
 * Returns the scopes of a query, whose changes are read one after another: the selected modules, or null for all modules.
 * An index orders the changes of each scope.
 */
async function listScopes(db: Executor, query: ChangeQuery): Promise<(ModuleRef | null)[]> {
  const isEverywhere = query.platform === null && query.record_type === null
  return isEverywhere ? [null] : selectModuleRefs(db, query).execute()
}

/** A change and the size of its record, so that the size of a page is limited before any record is read. */
type Located = { change_seq: number; isDeletion: boolean; bytes: number }

async function locateChanged(
  db: Executor,
  range: Range,
  module: ModuleRef | null,
): Promise<Located[]> {
  let select = db
    .selectFrom('records')
    .select(['change_seq', sql<number>`octet_length(data)`.as('bytes')])
    .where('change_seq', '>', range.after)
    .where('change_seq', '<=', range.through)
    .where(IN_LIST_INDEX)
  if (module) {
    select = select.where((eb) =>
      eb.and({ platform_id: module.platform_id, module_id: module.module_id }),
    )
  }
  const rows = await select.orderBy('change_seq').limit(range.limit).execute()
  return rows.map((row) => ({ ...row, isDeletion: false }))
}

/**
 * Reads the located changes. Leaves out records that have changed again in the meantime, and records that are
 * being deleted: a later page contains the new change or the deletion.
 */
async function readChanges(
  db: Executor,
  located: Located[],
  includesHidden: boolean,
): Promise<ChangeRow[]> {
  const numbers = (isDeletion: boolean) =>
    located.filter((change) => change.isDeletion === isDeletion).map((change) => change.change_seq)
  const changes = [
    ...(await readDeleted(db, numbers(true))),
    ...(await readChanged(db, numbers(false), includesHidden)),
  ]
  return changes.sort((one, other) => one.change_seq - other.change_seq)
}

async function readChanged(
  db: Executor,
  numbers: number[],
  includesHidden: boolean,
): Promise<ChangeRow[]> {
  if (numbers.length === 0) return []
  const rows = await selectRecords(db)
    .leftJoin('record_history as h', (join) =>
      join
        .onRef('h.platform_id', '=', 'r.platform_id')
        .onRef('h.record_id', '=', 'r.record_id')
        .onRef('h.change_seq', '=', 'r.change_seq'),
    )
    .select('h.revert_id')
    .where('r.change_seq', 'in', numbers)
    .$if(!includesHidden, (select) => select.where(isVisible('r')))
    .execute()
  return rows.map(toChange)
}

function toChange({ revert_id, ...row }: SelectedRecord & { revert_id: number | null }): ChangeRow {
  const { change_seq, updated_at: at } = row
  const change = row.created_at === at ? 'created' : 'updated'
  return { change, change_seq, at, record: toRecordRow(row), revert_id }
}

/** Filters by names, because the rows of the platform or module may have been deleted. */
async function locateDeleted(
  db: Executor,
  range: Range,
  { platform, record_type }: ChangeQuery,
): Promise<Located[]> {
  let select = db
    .selectFrom('record_deletions')
    .select('change_seq')
    .where('change_seq', '>', range.after)
    .where('change_seq', '<=', range.through)
  if (platform !== null) select = select.where('platform_name', '=', platform)
  if (record_type !== null) select = select.where('record_type', '=', record_type)
  const rows = await select.orderBy('change_seq').limit(range.limit).execute()
  return rows.map((row) => ({ ...row, isDeletion: true, bytes: 0 }))
}

async function readDeleted(db: Executor, numbers: number[]): Promise<ChangeRow[]> {
  if (numbers.length === 0) return []
  const rows = await db
    .selectFrom('record_deletions')
    .select(['change_seq', 'at', 'record_id', 'platform_name', 'record_type'])
    .where('change_seq', 'in', numbers)
    .execute()
  return rows.map((row) => ({ change: 'deleted', ...row }))
}
