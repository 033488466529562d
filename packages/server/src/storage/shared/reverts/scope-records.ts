/** Reads the records that a scope wrote, with the history that decides what a revert does to them. */
import { sql } from 'kysely'
import { isPastStored } from '../../../domain/record/record-history.ts'
import type {
  ResolvedScope,
  ScopeCursor,
  ScopeOutline,
  ScopeRecord,
} from '../../port/revert-store.ts'
import { isVisible } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'
import {
  countEntries,
  type IsId,
  NO_ENTRIES,
  readEntries,
  readInOrder,
  type SelectByIds,
} from './scope-history.ts'

const START: ScopeCursor = { stream: 0, at: '', record_id: 0 }

/** As `RevertStore.listScope`: first the records that the scope changed, then those that it created. */
export async function listScope(
  db: Executor,
  scope: ResolvedScope,
  after: ScopeCursor | null,
  limit: number,
): Promise<{ ids: number[]; next: ScopeCursor | null }> {
  const cursor = after ?? START
  if (scope.kind === 'record') return { ids: [scope.record_id], next: null }
  const rows =
    scope.kind === 'pushes'
      ? await listPushed(db, scope, cursor, limit)
      : await listMarked(db, scope, cursor, limit)
  const ids = [...new Set(rows.map((row) => row.record_id))]
  const last = rows.at(-1)
  if (last && rows.length === limit) return { ids, next: { ...cursor, ...last } }
  const isLast = scope.kind === 'revert' || cursor.stream === 1
  return { ids, next: isLast ? null : { ...START, stream: 1 } }
}

type Position = { at: string; record_id: number }

/** Records by the pull or revert that their history or their creation names. */
async function listMarked(
  db: Executor,
  scope: Extract<ResolvedScope, { kind: 'pull' | 'revert' }>,
  { stream, record_id }: ScopeCursor,
  limit: number,
): Promise<Position[]> {
  if (stream === 1 && scope.kind === 'pull') {
    const rows = await db
      .selectFrom('records')
      .select('record_id')
      .where('created_pull_id', '=', scope.pull_id)
      .where('record_id', '>', record_id)
      .orderBy('record_id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ at: '', ...row }))
  }
  const ofScope =
    scope.kind === 'pull'
      ? sql<boolean>`pull_id = ${scope.pull_id}`
      : sql<boolean>`revert_id = ${scope.revert_id}`
  const rows = await db
    .selectFrom('record_history')
    .select('record_id')
    .distinct()
    .where(ofScope)
    .where('record_id', '>', record_id)
    .orderBy('record_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ at: '', ...row }))
}

/** Records by the time at which they were pushed. */
async function listPushed(
  db: Executor,
  { platform_id, from, to }: Extract<ResolvedScope, { kind: 'pushes' }>,
  { stream, at, record_id }: ScopeCursor,
  limit: number,
): Promise<Position[]> {
  const begin = at === '' ? from : at
  if (stream === 1) {
    return db
      .selectFrom('records')
      .select(['created_at as at', 'record_id'])
      .where('platform_id', '=', platform_id)
      .where('created_pull_id', 'is', null)
      .where('created_at', '<', to)
      .where(sql<boolean>`(created_at, record_id) > (${begin}, ${record_id})`)
      .orderBy('created_at')
      .orderBy('record_id')
      .limit(limit)
      .execute()
  }
  return db
    .selectFrom('record_history')
    .select(['at', 'record_id'])
    .where('platform_id', '=', platform_id)
    .where('pull_id', 'is', null)
    .where('revert_id', 'is', null)
    .where('at', '<', to)
    .where(sql<boolean>`(at, record_id) > (${begin}, ${record_id})`)
    .orderBy('at')
    .orderBy('record_id')
    .limit(limit)
    .execute()
}

/** As `RevertStore.readScopeRecords`. */
export async function readScopeRecords(
  db: Executor,
  scope: ResolvedScope,
  ids: number[],
  selectByIds: SelectByIds,
): Promise<ScopeRecord[]> {
  if (ids.length === 0) return []
  const found = await readInOrder(db, selectByIds, ids, (isId) =>
    selectOutlines(db, isId)
      .innerJoin('modules as m', 'm.module_id', 'r.module_id')
      .select(['m.record_type', 'r.reference_number', 'r.full_name', 'r.data', 'r.incomplete']),
  )
  const rows = await inModules(db, scope, found)
  const entries = await readEntries(db, scope, rows, selectByIds)
  const complete_since = await readCompleteSince(db)
  return rows.map((row) => {
    const known = entries.get(row.record_id) ?? NO_ENTRIES
    const counts = { count: known.count, inScope: known.inScope }
    return {
      ...describeOutline(scope, row, counts, complete_since),
      ...{ record_type: row.record_type, reference_number: row.reference_number },
      record: {
        full_name: row.full_name,
        data: row.data,
        incomplete: row.incomplete === 1,
        missing_since: row.missing_since,
      },
      entries: known.entries,
    }
  })
}

/** As `RevertStore.readScopeOutlines`. */
export async function readScopeOutlines(
  db: Executor,
  scope: ResolvedScope,
  ids: number[],
  selectByIds: SelectByIds,
): Promise<ScopeOutline[]> {
  if (ids.length === 0) return []
  const found = await readInOrder(db, selectByIds, ids, (isId) => selectOutlines(db, isId))
  const rows = await inModules(db, scope, found)
  const counts = await countEntries(db, scope, rows, selectByIds)
  const complete_since = await readCompleteSince(db)
  return rows.map((row) => {
    const entries = counts.get(row.record_id) ?? { count: 0, inScope: 0, last_seq: null }
    const outline = describeOutline(scope, row, entries, complete_since)
    return { ...outline, missing_since: row.missing_since, entries }
  })
}

type OutlineRow = Awaited<ReturnType<ReturnType<typeof selectOutlines>['execute']>>[number]

function selectOutlines(db: Executor, isId: IsId) {
  return db
    .selectFrom('records as r')
    .select([
      ...(['r.record_id', 'r.platform_id', 'r.module_id', 'r.missing_since'] as const),
      ...(['r.change_seq', 'r.created_pull_id', 'r.created_at'] as const),
      // An erasure that has begun may already have deleted a part of the history.
      sql<number>`CASE WHEN r.anonymised = 1 OR EXISTS (SELECT 1 FROM tombstones t
        WHERE t.record_id = r.record_id) THEN 1 ELSE 0 END`.as('is_anonymised'),
    ])
    .where(isId('r.record_id'))
}

/** A record of the scope, whose module is not being removed. */
type ScopeRow = OutlineRow & { isCreated: boolean; isRegistered: boolean }

async function inModules<Row extends OutlineRow>(
  db: Executor,
  scope: ResolvedScope,
  rows: Row[],
): Promise<(Row & ScopeRow)[]> {
  const modules = await readModules(db, rows)
  return rows.flatMap((row) => {
    const isRegistered = modules.get(row.module_id)
    const isOfOthers = scope.kind === 'pull' && scope.module_ids?.includes(row.module_id) === false
    if (isRegistered === undefined || isOfOthers) return []
    // Rows of node:sqlite are slow to copy.
    return [Object.assign(row, { isRegistered, isCreated: isCreatedBy(scope, row) })]
  })
}

/** Read it after the history, to include deletions meanwhile. */
async function readCompleteSince(db: Executor): Promise<string | null> {
  const since = await db
    .selectFrom('retention')
    .select('complete_since')
    .where('noun', '=', 'history')
    .executeTakeFirst()
  return since?.complete_since ?? null
}

function describeOutline(
  scope: ResolvedScope,
  row: ScopeRow,
  entries: { count: number; inScope: number },
  complete_since: string | null,
) {
  const { record_id, platform_id, change_seq, isCreated, isRegistered } = row
  return {
    ...{ record_id, platform_id, change_seq, isCreated, isRegistered },
    isAnonymised: row.is_anonymised === 1,
    isHistoryStored: isStored(scope, row, complete_since, entries),
  }
}

/** Whether each module of these records is registered. Those that are being removed are left out. */
async function readModules(db: Executor, rows: OutlineRow[]): Promise<Map<number, boolean>> {
  const ids = [...new Set(rows.map(({ module_id }) => module_id))]
  if (ids.length === 0) return new Map()
  const modules = await db
    .selectFrom('modules as m')
    .select(['m.module_id', 'm.registered_at'])
    .where('m.module_id', 'in', ids)
    .where(isVisible('m'))
    .execute()
  return new Map(modules.map(({ module_id, registered_at }) => [module_id, registered_at !== null]))
}

function isCreatedBy(
  scope: ResolvedScope,
  { created_pull_id, created_at }: Pick<OutlineRow, 'created_pull_id' | 'created_at'>,
): boolean {
  if (scope.kind === 'pull') return created_pull_id === scope.pull_id
  if (scope.kind !== 'pushes') return false
  return created_pull_id === null && created_at >= scope.from && created_at < scope.to
}

/** Whether the history has every entry that the decision needs. */
function isStored(
  scope: ResolvedScope,
  { created_at, change_seq, isCreated }: ScopeRow,
  complete_since: string | null,
  { count, inScope }: { count: number; inScope: number },
): boolean {
  // Created after the time since which nothing was deleted.
  if (isPastStored(complete_since, created_at)) return true
  if (isCreated) return false
  // The entry of the version is there, and retention deletes the oldest entries first.
  if (scope.kind === 'record') return change_seq === scope.version || inScope < count
  return isPastStored(complete_since, scope.kind === 'pushes' ? scope.from : scope.begin)
}
