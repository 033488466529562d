/** Reads the records that a scope wrote, with the history that decides what a revert does to them. */
import { sql } from 'kysely'
import { isPastStored, parseChanges } from '../../../domain/record/record-history.ts'
import type { ResolvedScope, ScopeCursor, ScopeRecord } from '../../port/revert-store.ts'
import type { Executor } from '../schema/databases.ts'

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
): Promise<ScopeRecord[]> {
  if (ids.length === 0) return []
  const rows = (await selectRecords(db, ids)).filter(
    ({ module_id }) =>
      scope.kind !== 'pull' || scope.module_ids === null || scope.module_ids.includes(module_id),
  )
  const created = new Set(rows.filter((row) => isCreatedBy(scope, row)).map((row) => row.record_id))
  const entries = await readEntries(db, scope, rows, created)
  // Read after the history, to include deletions meanwhile.
  const since = await db
    .selectFrom('retention')
    .select('complete_since')
    .where('noun', '=', 'history')
    .executeTakeFirst()
  const complete_since = since?.complete_since ?? null
  return rows.map((row) => {
    const { record_id, platform_id, record_type, reference_number, change_seq } = row
    const isCreated = created.has(record_id)
    const ofRecord = entries.get(record_id) ?? []
    return {
      ...{ record_id, platform_id, record_type, reference_number, change_seq },
      record: {
        full_name: row.full_name,
        data: row.data,
        incomplete: row.incomplete === 1,
        missing_since: row.missing_since,
      },
      isCreated,
      isAnonymised: row.is_anonymised === 1,
      isHistoryStored: isStored(scope, row, { isCreated, complete_since, ofRecord }),
      entries: ofRecord,
    }
  })
}

type RecordOfScope = Awaited<ReturnType<typeof selectRecords>>[number]

function selectRecords(db: Executor, ids: number[]) {
  return db
    .selectFrom('records as r')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .select([
      ...(['r.record_id', 'r.platform_id', 'r.module_id', 'm.record_type'] as const),
      ...(['r.reference_number', 'r.full_name', 'r.data', 'r.incomplete'] as const),
      ...(['r.missing_since', 'r.change_seq', 'r.created_pull_id', 'r.created_at'] as const),
      sql<number>`CASE WHEN EXISTS (SELECT 1 FROM tombstones t
        WHERE t.record_id = r.record_id) THEN 1 ELSE 0 END`.as('is_anonymised'),
    ])
    .where('r.record_id', 'in', ids)
    .orderBy('r.record_id')
    .execute()
}

function isCreatedBy(
  scope: ResolvedScope,
  { created_pull_id, created_at }: Pick<RecordOfScope, 'created_pull_id' | 'created_at'>,
): boolean {
  if (scope.kind === 'pull') return created_pull_id === scope.pull_id
  if (scope.kind !== 'pushes') return false
  return created_pull_id === null && created_at >= scope.from && created_at < scope.to
}

type Entry = ScopeRecord['entries'][number]

async function readEntries(
  db: Executor,
  scope: ResolvedScope,
  rows: RecordOfScope[],
  created: ReadonlySet<number>,
): Promise<Map<number, Entry[]>> {
  if (rows.length === 0) return new Map()
  const platformIds = [...new Set(rows.map((row) => row.platform_id))]
  const select = (ids: number[]) =>
    db
      .selectFrom('record_history')
      .select(['record_id', 'change_seq', 'at', 'changes', 'pull_id', 'revert_id'])
      .where('platform_id', 'in', platformIds)
      .where('record_id', 'in', ids)
      .orderBy('record_id')
      .orderBy('change_seq')
  const changed = rows.map((row) => row.record_id).filter((id) => !created.has(id))
  const found = [
    ...(changed.length > 0 ? await inScope(select(changed), scope).execute() : []),
    ...(created.size > 0 ? await select([...created]).execute() : []),
  ]
  const entries = new Map<number, Entry[]>()
  for (const row of found) {
    const ofRecord = entries.get(row.record_id) ?? []
    ofRecord.push({ isInScope: isInScope(scope, row), changes: parseChanges(row.changes) })
    entries.set(row.record_id, ofRecord)
  }
  return entries
}

type HistoryOfScope = {
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
  { created_at, change_seq }: RecordOfScope,
  {
    isCreated,
    complete_since,
    ofRecord,
  }: { isCreated: boolean; complete_since: string | null; ofRecord: Entry[] },
): boolean {
  // Created after the time since which nothing was deleted.
  if (isPastStored(complete_since, created_at)) return true
  if (isCreated) return false
  // The entry of the version is there, and retention deletes the oldest entries first.
  if (scope.kind === 'record')
    return change_seq === scope.version || ofRecord.some(({ isInScope }) => !isInScope)
  return isPastStored(complete_since, scope.kind === 'pushes' ? scope.from : scope.begin)
}
