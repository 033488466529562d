/**
 * Reads a list in the order of an index on a hub column. The database excludes records by the conditions of the filter
 * that SQL can decide (the prefilter).
 */
import type { BY_RELEVANCE, RecordSort } from '@recordhub/protocol'
import { type FilterKind, numberKey, parseTimeSpan } from '@recordhub/protocol/field-filter'
import { type RawBuilder, sql } from 'kysely'
import {
  type DataColumn,
  isDataColumn,
  isFiltered,
  kindOfColumn,
  valuesOfCondition,
} from '../../../domain/record/record-query.ts'
import type { WorkLimit } from '../../../lib/time/work-limit.ts'
import type { ModuleRef, Position } from '../../port/record-list-store.ts'
import { isVisible } from '../records/module-scope.ts'
import { IN_LIST_INDEX, type ListedRecord, selectListed } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { createLargeDataReader } from './large-data.ts'
import {
  createCompare,
  createMatches,
  createPositionOf,
  mergeScans,
  positionBy,
  type RecordListDialect,
  type RecordScan,
  type ResolvedQuery,
  type ScanDeps,
  scanPositions,
  toStep,
  visitRecords,
} from './record-scan.ts'
import { hasGlobalIndex } from './scan-strategies.ts'

/** @param order `descending` is the order in the direction of reading. */
export function scanHubColumn(
  { db, dialect }: ScanDeps,
  { query, scope, minChangeSeq }: ResolvedQuery,
  order: { sort: RecordSort; descending: boolean },
): RecordScan {
  const { nameIndexLength } = dialect
  const isGlobal = scope.everywhere && hasGlobalIndex(order.sort)
  const prefilter = createPrefilter(query, scope.kinds, {
    contains: dialect.contains,
    hidesRemoved: isGlobal && !scope.all,
  })
  const positionOf = positionBy(order.sort)
  const toFound = (row: ListedRecord) => ({ row, position: positionOf(row) })

  const scanModule = (module: ModuleRef | null): RecordScan => ({
    size: null,
    allMatch: false,
    async readStep(after, limit) {
      const range = { ...order, module, minChangeSeq, nameIndexLength, after, limit }
      if (!prefilter) return toStep((await selectRange(db, range)).map(toFound), limit)
      const next = await findEnd(db, range)
      const rows = await selectFiltered(db, range, next, prefilter)
      return { records: rows.map(toFound), examined: limit, next }
    },
  })
  const modules = isGlobal ? [null] : scope.modules
  return mergeScans(modules.map(scanModule), createCompare(order))
}

/** A text of these characters appears in JSON as it is, unless the JSON escapes some of them. */
const PLAIN = /^[^"\\/[\]{}\p{Cc}]+$/u
const ESCAPE = '\\u'

/** Returns a condition that is true for every record that matches; null if SQL can decide no part of the filter. */
function createPrefilter(
  { incomplete, missing, changed_since, conditions }: ResolvedQuery['query'],
  kinds: ResolvedQuery['scope']['kinds'],
  { contains, hidesRemoved }: { contains: RecordListDialect['contains']; hidesRemoved: boolean },
): RawBuilder<boolean> | null {
  const data = sql.ref('r.data')
  const terms: RawBuilder<unknown>[] = []
  // One scan of all modules is quicker than one of each visible module.
  if (hidesRemoved) terms.push(isVisible('r'))
  if (incomplete !== null) terms.push(sql`r.incomplete = ${sql.lit(incomplete ? 1 : 0)}`)
  if (missing !== null) {
    terms.push(missing ? sql`r.missing_since IS NOT NULL` : sql`r.missing_since IS NULL`)
  }
  if (changed_since !== null) terms.push(sql`r.updated_at >= ${changed_since}`)
  for (const condition of conditions) {
    const { column, test } = condition
    const values = valuesOfCondition(condition)
    if (!isDataColumn(column) || !values.every((value) => PLAIN.test(value))) continue
    const kind = kindOfColumn(column, kinds)
    const isEquality = test === 'is' || test === 'in'
    if (test !== 'starts' && !(isEquality && values.every((value) => isWritten(value, kind)))) {
      continue
    }
    const texts = [...values, ESCAPE]
    terms.push(
      sql`(${sql.join(
        texts.map((text) => contains(data, text)),
        sql` OR `,
      )})`,
    )
  }
  return terms.length === 0 ? null : sql<boolean>`${sql.join(terms, sql` AND `)}`
}

/** Whether every value that equals this one is written so in JSON. Numbers and times are equal in many forms. */
function isWritten(value: string, kind: FilterKind): boolean {
  if (kind === 'by_value') return numberKey(value) === null && parseTimeSpan(value) === null
  return kind === 'text' || kind === 'boolean'
}

/**
 * The column of each sort. Records are created in the order of their ids and changed in the order of
 * `change_seq`. Unlike the timestamps, these are unique and have an index.
 */
const SORT_COLUMNS = {
  record_id: 'r.record_id',
  created_at: 'r.record_id',
  updated_at: 'r.change_seq',
  reference_number: 'r.reference_number',
  full_name: 'r.full_name',
} as const satisfies Record<RecordSort, string>

type Range = {
  sort: RecordSort
  descending: boolean
  /** Null for the records of all modules. */
  module: ModuleRef | null
  after: Position | null
  minChangeSeq: number
  limit: number
  nameIndexLength: number | null
}

function selectRange(db: Executor, range: Range): Promise<ListedRecord[]> {
  let select = selectListed(db).where(isInRange(range))
  for (const key of keysOf(range)) select = select.orderBy(key, directionOf(range))
  return select.limit(range.limit).execute()
}

/** Returns the position of the last record in the range; null if the list ends before the limit of the range. */
async function findEnd(db: Executor, range: Range): Promise<Position | null> {
  let select = db
    .selectFrom('records as r')
    .select(['r.record_id', sql.ref<string | number>(SORT_COLUMNS[range.sort]).as('value')])
    .where(isInRange(range))
  for (const key of keysOf(range)) select = select.orderBy(key, directionOf(range))
  const end = await select
    .offset(range.limit - 1)
    .limit(1)
    .executeTakeFirst()
  return end ?? null
}

function selectFiltered(
  db: Executor,
  range: Range,
  end: Position | null,
  prefilter: RawBuilder<boolean>,
): Promise<ListedRecord[]> {
  let select = selectListed(db).where(isInRange(range)).where(prefilter)
  if (end) select = select.where(comparePosition(range, end, range.descending ? '>=' : '<='))
  for (const key of keysOf(range)) select = select.orderBy(key, directionOf(range))
  return select.execute()
}

function isInRange(range: Range): RawBuilder<boolean> {
  const { module, minChangeSeq, after, descending } = range
  const terms = [IN_LIST_INDEX]
  if (module) {
    terms.push(sql`r.platform_id = ${module.platform_id}`, sql`r.module_id = ${module.module_id}`)
  }
  if (minChangeSeq > 0) terms.push(sql`r.change_seq >= ${minChangeSeq}`)
  if (after) terms.push(comparePosition(range, after, descending ? '<' : '>'))
  return sql<boolean>`${sql.join(terms, sql` AND `)}`
}

function comparePosition(
  range: Range,
  { value, record_id }: Position,
  operator: '<' | '>' | '<=' | '>=',
): RawBuilder<boolean> {
  const values = [sql`${value}`, sql`${record_id}`]
  const length = prefixLengthOf(range)
  if (length !== null) values.unshift(prefixOf(sql`${value}`, length))
  return sql<boolean>`(${sql.join(keysOf(range))}) ${sql.raw(operator)} (${sql.join(values)})`
}

/** The keys of the index; the index on names begins with a prefix of the name. */
function keysOf(range: Range): RawBuilder<unknown>[] {
  const column = sql.ref(SORT_COLUMNS[range.sort])
  const length = prefixLengthOf(range)
  const keys = [column, sql.ref('r.record_id')]
  return length === null ? keys : [prefixOf(column, length), ...keys]
}

function directionOf({ descending }: Range): 'desc' | 'asc' {
  return descending ? 'desc' : 'asc'
}

function prefixLengthOf({ sort, nameIndexLength }: Range): number | null {
  return sort === 'full_name' ? nameIndexLength : null
}

function prefixOf(text: RawBuilder<unknown>, length: number): RawBuilder<unknown> {
  return sql`substr(${text}, 1, ${sql.lit(length)})`
}

/**
 * Reads all records, and sorts those that match by a field that has no index.
 * @returns null if the time is over before all records are read.
 */
export async function scanSorted(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  { sort, time }: { sort: DataColumn | typeof BY_RELEVANCE; time: WorkLimit },
): Promise<RecordScan | null> {
  const { query, scope } = resolved
  const matches = isFiltered(query) ? createMatches(resolved) : null
  const compare = createCompare(query)
  const positionOf = createPositionOf({ ...query, sort }, scope)
  // More than a page contains, since records may be deleted before they are read again.
  const limit = 2 * query.limit + 1
  let positions: Position[] = []
  let matched = 0
  const all = scanHubColumn(deps, resolved, { sort: 'record_id', descending: false })
  const { complete } = await visitRecords(createLargeDataReader(deps), all, time, (row) => {
    if (matches && !matches(row)) return true
    matched += 1
    const position = positionOf(row)
    if (query.after === null || compare(position, query.after) > 0) positions.push(position)
    if (positions.length > 4 * limit) positions = positions.sort(compare).slice(0, limit)
    return true
  })
  if (!complete) return null
  const nearest = positions.sort(compare).slice(0, limit)
  return scanPositions(deps, nearest, { compare, size: matched, allMatch: true })
}
