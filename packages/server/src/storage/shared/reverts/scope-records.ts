/** Reads the records that a scope wrote, with the history that decides what a revert does to them. */
import { type Expression, type RawBuilder, sql } from 'kysely'
import { isPastStored, parseChanges } from '../../../domain/record/record-history.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type {
  ResolvedScope,
  ScopeCursor,
  ScopeOutline,
  ScopeRecord,
} from '../../port/revert-store.ts'
import { isVisible } from '../records/module-scope.ts'
import type { Executor } from '../schema/databases.ts'

/** Returns a subquery of ids, whose SQL text does not depend on their number. */
export type IdList = (ids: number[]) => RawBuilder<number>

/** Selects rows by the condition that a column is one of some ids. */
export type SelectRowsOf<Row> = (isId: (column: string) => RawBuilder<boolean>) => Expression<Row>

/** Returns a statement that selects the rows of ids, each by an index. */
export type SelectByIds = <Row>(ids: number[], select: SelectRowsOf<Row>) => RawBuilder<Row>

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
  const rows = await readInOrder(db, selectByIds, ids, (isId) =>
    selectOutlines(db, isId)
      .innerJoin('modules as m', 'm.module_id', 'r.module_id')
      .select(['m.record_type', 'r.reference_number', 'r.full_name', 'r.data', 'r.incomplete']),
  )
  const found = await readHistoryOf(db, scope, rows, (some, select) =>
    readInOrder(db, selectByIds, some, (isId) => select(isId).select('changes')),
  )
  const pause = createPause()
  const records: ScopeRecord[] = []
  for (const { row, entries, ...outline } of found) {
    const parsed: ScopeRecord['entries'] = []
    for (const { isInScope, entry } of entries) {
      parsed.push({ isInScope, changes: parseChanges(entry.changes) })
      await pause()
    }
    records.push({
      ...outline,
      ...{ record_type: row.record_type, reference_number: row.reference_number },
      record: {
        full_name: row.full_name,
        data: row.data,
        incomplete: row.incomplete === 1,
        missing_since: row.missing_since,
      },
      entries: parsed,
    })
  }
  return records
}

/** As `RevertStore.takeStep`. */
export async function takeStep(
  db: Executor,
  selectByIds: SelectByIds,
  ids: number[],
  maxBytes: number,
): Promise<number[]> {
  if (ids.length <= 1) return ids
  const { rows } = await selectByIds(ids, (isId) =>
    db
      .selectFrom('records as r')
      .select([
        'r.record_id',
        sql<number>`octet_length(r.data) + coalesce((SELECT sum(octet_length(h.changes))
          FROM record_history h WHERE h.platform_id = r.platform_id AND h.record_id = r.record_id), 0)`.as(
          'size',
        ),
      ])
      .where(isId('r.record_id')),
  ).execute(db)
  const sizes = new Map(rows.map((row) => [row.record_id, row.size]))
  const sized = ids.map((id) => ({ size: sizes.get(id) ?? 0 }))
  return ids.slice(0, countWithin(sized, maxBytes))
}

/** Counts the first rows whose sizes together are at most `maxBytes`; at least one. */
export function countWithin(rows: readonly { size: number }[], maxBytes: number): number {
  let total = 0
  const end = rows.findIndex(({ size }) => {
    total += size
    return total > maxBytes
  })
  return end < 0 ? rows.length : Math.max(1, end)
}

/** As `RevertStore.readScopeOutlines`. */
export async function readScopeOutlines(
  db: Executor,
  scope: ResolvedScope,
  ids: number[],
  selectByIds: SelectByIds,
): Promise<ScopeOutline[]> {
  if (ids.length === 0) return []
  const rows = await readInOrder(db, selectByIds, ids, (isId) => selectOutlines(db, isId))
  const found = await readHistoryOf(db, scope, rows, (some, select) =>
    readInOrder(db, selectByIds, some, select),
  )
  return found.map(({ row, entries, ...outline }) => ({
    ...outline,
    missing_since: row.missing_since,
    entries: entries.map(({ isInScope, entry }) => ({ isInScope, change_seq: entry.change_seq })),
  }))
}

type IsId = Parameters<SelectRowsOf<never>>[0]

async function readInOrder<Row>(
  db: Executor,
  selectByIds: SelectByIds,
  ids: number[],
  select: SelectRowsOf<Row>,
): Promise<Row[]> {
  const rows = sql<Row>`${selectByIds(ids, select)} ORDER BY record_id, change_seq`
  return (await rows.execute(db)).rows
}

type OutlineRow = Awaited<ReturnType<ReturnType<typeof selectOutlines>['execute']>>[number]

function selectOutlines(db: Executor, isId: IsId) {
  return db
    .selectFrom('records as r')
    .select([
      ...(['r.record_id', 'r.platform_id', 'r.module_id', 'r.missing_since'] as const),
      ...(['r.change_seq', 'r.created_pull_id', 'r.created_at'] as const),
      sql<number>`CASE WHEN EXISTS (SELECT 1 FROM tombstones t
        WHERE t.record_id = r.record_id) THEN 1 ELSE 0 END`.as('is_anonymised'),
    ])
    .where(isId('r.record_id'))
}

/** Adds to each record of the scope the history that decides about it. */
async function readHistoryOf<Row extends OutlineRow, Entry extends HistoryOfScope>(
  db: Executor,
  scope: ResolvedScope,
  all: Row[],
  read: (
    ids: number[],
    select: (isId: IsId) => ReturnType<typeof selectHistory>,
  ) => Promise<Entry[]>,
) {
  const modules = await readModules(db, all)
  const rows = all.filter(
    ({ module_id }) =>
      modules.has(module_id) &&
      (scope.kind !== 'pull' || scope.module_ids === null || scope.module_ids.includes(module_id)),
  )
  const created = new Set(rows.filter((row) => isCreatedBy(scope, row)).map((row) => row.record_id))
  const platformIds = [...new Set(rows.map((row) => row.platform_id))]
  const select = (isId: IsId) => selectHistory(db, platformIds, isId)
  const changed = rows.map((row) => row.record_id).filter((id) => !created.has(id))
  const history = [
    ...(changed.length > 0 ? await read(changed, (isId) => inScope(select(isId), scope)) : []),
    ...(created.size > 0 ? await read([...created], select) : []),
  ]
  // Read after the history, to include deletions meanwhile.
  const since = await db
    .selectFrom('retention')
    .select('complete_since')
    .where('noun', '=', 'history')
    .executeTakeFirst()
  const complete_since = since?.complete_since ?? null
  const entriesOf = Map.groupBy(history, ({ record_id }) => record_id)
  return rows.map((row) => {
    const { record_id, platform_id, change_seq } = row
    const isCreated = created.has(record_id)
    // A write between the two statements is of a newer version of the record than the row that was read.
    const known = (entriesOf.get(record_id) ?? []).filter((entry) => entry.change_seq <= change_seq)
    const entries = known.map((entry) => ({ isInScope: isInScope(scope, entry), entry }))
    return {
      ...{ record_id, platform_id, change_seq, row, isCreated, entries },
      isRegistered: modules.get(row.module_id) === true,
      isAnonymised: row.is_anonymised === 1,
      isHistoryStored: isStored(scope, row, { isCreated, complete_since, entries }),
    }
  })
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

function selectHistory(db: Executor, platformIds: number[], isId: IsId) {
  return db
    .selectFrom('record_history')
    .select(['record_id', 'change_seq', 'at', 'pull_id', 'revert_id'])
    .where('platform_id', 'in', platformIds)
    .where(isId('record_id'))
}

function isCreatedBy(
  scope: ResolvedScope,
  { created_pull_id, created_at }: Pick<OutlineRow, 'created_pull_id' | 'created_at'>,
): boolean {
  if (scope.kind === 'pull') return created_pull_id === scope.pull_id
  if (scope.kind !== 'pushes') return false
  return created_pull_id === null && created_at >= scope.from && created_at < scope.to
}

type HistoryOfScope = {
  record_id: number
  change_seq: number
  at: string
  pull_id: number | null
  revert_id: number | null
}

/** The entries that a scope wrote: the same condition in SQL and as a function. */
function inScope<Select extends { where: (condition: ReturnType<typeof sql<boolean>>) => Select }>(
  select: Select,
  scope: ResolvedScope,
): Select {
  switch (scope.kind) {
    case 'pull':
      return select.where(sql<boolean>`pull_id = ${scope.pull_id}`)
    case 'revert':
      return select.where(sql<boolean>`revert_id = ${scope.revert_id}`)
    case 'record':
      return select.where(sql<boolean>`change_seq >= ${scope.version}`)
    case 'pushes':
      return select.where(
        sql<boolean>`pull_id IS NULL AND revert_id IS NULL AND at >= ${scope.from} AND at < ${scope.to}`,
      )
  }
}

function isInScope(scope: ResolvedScope, entry: HistoryOfScope): boolean {
  switch (scope.kind) {
    case 'pull':
      return entry.pull_id === scope.pull_id
    case 'revert':
      return entry.revert_id === scope.revert_id
    case 'record':
      return entry.change_seq > scope.version
    case 'pushes':
      return (
        entry.pull_id === null &&
        entry.revert_id === null &&
        entry.at >= scope.from &&
        entry.at < scope.to
      )
  }
}

/** Whether the history has every entry that the decision needs. */
function isStored(
  scope: ResolvedScope,
  { created_at, change_seq }: OutlineRow,
  {
    isCreated,
    complete_since,
    entries,
  }: {
    isCreated: boolean
    complete_since: string | null
    entries: { isInScope: boolean }[]
  },
): boolean {
  // Created after the time since which nothing was deleted.
  if (isPastStored(complete_since, created_at)) return true
  if (isCreated) return false
  // The entry of the version is there, and retention deletes the oldest entries first.
  if (scope.kind === 'record')
    return change_seq === scope.version || entries.some(({ isInScope }) => !isInScope)
  return isPastStored(complete_since, scope.kind === 'pushes' ? scope.from : scope.begin)
}
