/** Reads the history that decides what a revert does to records, in steps of limited size. */
import { type Expression, type RawBuilder, sql } from 'kysely'
import { parseChanges } from '../../../domain/record/record-history.ts'
import { foldEntries } from '../../../domain/revert/decide-revert.ts'
import { splitByBytes, takeWithinBytes } from '../../../lib/collections/pagination.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type {
  ResolvedScope,
  RevertResult,
  ScopeOutline,
  ScopeRecord,
} from '../../port/revert-store.ts'
import type { Executor } from '../schema/databases.ts'

/** The record that a decision is about, and the version that it has read; the record may have a newer one by now. */
export type Decision = Pick<RevertResult, 'record_id' | 'platform_id' | 'decided_seq'>

/** Returns a subquery of these rows, whose SQL text does not depend on their number. */
export type DecisionRows = (decisions: readonly Decision[]) => RawBuilder<Decision>

/** Selects rows by the condition that a column is one of some ids. */
export type SelectRowsOf<Row> = (isId: (column: string) => RawBuilder<boolean>) => Expression<Row>

/** Returns a statement that selects the rows of ids, each by an index. */
export type SelectByIds = <Row>(ids: number[], select: SelectRowsOf<Row>) => RawBuilder<Row>

export type IsId = Parameters<SelectRowsOf<never>>[0]

const idOf = ({ record_id }: { record_id: number }) => record_id

export async function readInOrder<Row>(
  db: Executor,
  selectByIds: SelectByIds,
  ids: number[],
  select: SelectRowsOf<Row>,
): Promise<Row[]> {
  const rows = sql<Row>`${selectByIds(ids, select)} ORDER BY record_id, change_seq`
  return (await rows.execute(db)).rows
}

/** A record whose history is read up to its version `change_seq`. */
type HistoryOwner = {
  record_id: number
  platform_id: number
  change_seq: number
  isCreated: boolean
}

/** The entries of a record that decide about it, how many were read, and how many of them are of the scope. */
type ReadEntries = { entries: ScopeRecord['entries']; count: number; inScope: number }

export const NO_ENTRIES: ReadEntries = { entries: [], count: 0, inScope: 0 }

/** Reads the entries of records, by their ids. */
export async function readEntries(
  db: Executor,
  scope: ResolvedScope,
  rows: HistoryOwner[],
  selectByIds: SelectByIds,
): Promise<Map<number, ReadEntries>> {
  const [first, ...others] = rows
  // Several records are as few as their size allows; a single one may have a long history.
  if (first && others.length === 0) return readLongHistory(db, scope, first)
  const entries = new Map<number, ReadEntries>()
  const versions = new Map(rows.map((row) => [row.record_id, row.change_seq]))
  const pause = createPause()
  for (const isCreated of [false, true]) {
    const some = rows.filter((row) => row.isCreated === isCreated)
    if (some.length === 0) continue
    const select = (isId: IsId) =>
      selectEntries(db, scope, some, isCreated).where(isId('record_id'))
    for (const row of await readInOrder(db, selectByIds, some.map(idOf), select)) {
      // A write between the two statements is of a newer version of the record than the row that was read.
      if (row.change_seq > (versions.get(row.record_id) ?? 0)) continue
      const known = entries.get(row.record_id) ?? { entries: [], count: 0, inScope: 0 }
      entries.set(row.record_id, addEntry(known, scope, row))
      await pause()
    }
  }
  return entries
}

function addEntry(known: ReadEntries, scope: ResolvedScope, row: EntryRow): ReadEntries {
  const isOfScope = isInScope(scope, row)
  known.entries.push({ isInScope: isOfScope, changes: parseChanges(row.changes) })
  const inScope = known.inScope + (isOfScope ? 1 : 0)
  return { entries: known.entries, count: known.count + 1, inScope }
}

/** The size of the changes that are read at once; a single entry may be larger. */
const MAX_BYTES = 1_000_000
/** Entries whose sizes are read at once. */
const MAX_ENTRIES = 500

async function readLongHistory(
  db: Executor,
  scope: ResolvedScope,
  row: HistoryOwner,
): Promise<Map<number, ReadEntries>> {
  const { record_id, change_seq, isCreated } = row
  const pause = createPause()
  let known: ReadEntries = { ...NO_ENTRIES, entries: [] }
  for (let after = -1; ; ) {
    const following = selectEntries(db, scope, [row], isCreated)
      .where('record_id', '=', record_id)
      .where('change_seq', '>', after)
      .where('change_seq', '<=', change_seq)
    const sizes = await following
      .clearSelect()
      .select(['change_seq', sql<number>`octet_length(changes)`.as('bytes')])
      .orderBy('change_seq')
      .limit(MAX_ENTRIES)
      .execute()
    const last = takeWithinBytes(sizes, MAX_BYTES).at(-1)
    if (!last) return new Map([[record_id, known]])
    const page = following.where('change_seq', '<=', last.change_seq).orderBy('change_seq')
    for (const entry of await page.execute()) {
      known = addEntry(known, scope, entry)
      await pause()
    }
    known.entries = foldEntries(known.entries, isCreated)
    after = last.change_seq
  }
}

/** Counts the entries of records, by their ids, without reading their changes. */
export async function countEntries(
  db: Executor,
  scope: ResolvedScope,
  rows: HistoryOwner[],
  selectByIds: SelectByIds,
): Promise<Map<number, ScopeOutline['entries']>> {
  const counts = new Map<number, ScopeOutline['entries']>()
  for (const isCreated of [false, true]) {
    const some = rows.filter((row) => row.isCreated === isCreated)
    if (some.length === 0) continue
    const counted = await selectByIds(some.map(idOf), (isId) =>
      selectEntries(db, scope, some, isCreated)
        .clearSelect()
        .select(['record_id', sql<number>`count(*)`.as('count')])
        .select(sql<number>`sum(CASE WHEN ${isWrittenBy(scope)} THEN 1 ELSE 0 END)`.as('in_scope'))
        .select(sql<number>`max(change_seq)`.as('last_seq'))
        .where(isId('record_id'))
        .groupBy('record_id'),
    ).execute(db)
    for (const { record_id, count, in_scope, last_seq } of counted.rows) {
      const entries = { count: Number(count), inScope: Number(in_scope) }
      counts.set(record_id, { ...entries, last_seq: Number(last_seq) })
    }
  }
  return counts
}

/** As `RevertStore.splitSteps`. */
export async function splitSteps(
  db: Executor,
  selectByIds: SelectByIds,
  ids: number[],
  maxBytes: number,
): Promise<number[][]> {
  if (ids.length <= 1) return ids.length === 0 ? [] : [ids]
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
  const sizes = new Map(rows.map((row) => [row.record_id, Number(row.size)]))
  const sized = ids.map((id) => ({ id, bytes: sizes.get(id) ?? 0 }))
  return splitByBytes(sized, maxBytes).map((step) => step.map(({ id }) => id))
}

/** The entries that decide about records: those of the scope; of records that it created, all. */
function selectEntries(
  db: Executor,
  scope: ResolvedScope,
  rows: HistoryOwner[],
  isCreated: boolean,
) {
  const platformIds = [...new Set(rows.map((row) => row.platform_id))]
  const all = db
    .selectFrom('record_history')
    .select(['record_id', 'change_seq', 'at', 'pull_id', 'revert_id', 'changes'])
    .where('platform_id', 'in', platformIds)
  if (isCreated) return all
  // Also the entry of the version itself, which shows that nothing since then was deleted.
  return all.where(
    scope.kind === 'record' ? sql<boolean>`change_seq >= ${scope.version}` : isWrittenBy(scope),
  )
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number]

type HistoryOfScope = Omit<EntryRow, 'record_id' | 'changes'>

/** The entries that a scope wrote: the same condition in SQL and as a function. */
function isWrittenBy(scope: ResolvedScope): RawBuilder<boolean> {
  switch (scope.kind) {
    case 'pull':
      return sql`pull_id = ${scope.pull_id}`
    case 'revert':
      return sql`revert_id = ${scope.revert_id}`
    case 'record':
      return sql`change_seq > ${scope.version}`
    case 'pushes':
      return sql`pull_id IS NULL AND revert_id IS NULL AND at >= ${scope.from} AND at < ${scope.to}`
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
