/** Reads the few records that an index returns for one condition of the filter. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  isDataColumn,
  isFiltered,
  valuesOfCondition,
} from '../../../domain/record/record-query.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import { endOfPrefix, isStorableText, truncateCodePoints } from '../../../lib/text/code-points.ts'
import type { ListScope, Position } from '../../port/record-list-store.ts'
import {
  IN_LIST_INDEX,
  type ListedRecord,
  selectListed,
  selectWithoutData,
} from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { findByCondition } from './indexed-field-scan.ts'
import { createLargeDataReader, readLargeData } from './large-data.ts'
import {
  createCompare,
  createPositionOf,
  type RecordScan,
  type ResolvedQuery,
  type ScanDeps,
  scanPositions,
} from './record-scan.ts'
import type { CandidateSource } from './scan-strategies.ts'

/** Above this number, reading the list in its order is faster. */
const MAX_CANDIDATES = 10_000
/** Candidates whose data is read at once. */
const PARSE_STEP = 200

/** @returns null if the index cannot be used, or returns too many records. */
export async function scanCandidates(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  source: CandidateSource,
): Promise<RecordScan | null> {
  const ids = await findCandidates(deps, resolved, source, MAX_CANDIDATES + 1)
  if (!ids || ids.length > MAX_CANDIDATES) return null

  const { query, scope } = resolved
  const positionOf = createPositionOf(query, scope)
  const positions: Position[] = []
  const pause = createPause()
  const reader = createLargeDataReader(deps)
  const stepLength = isDataColumn(query.sort) ? PARSE_STEP : MAX_CANDIDATES
  for (let start = 0; start < ids.length; start += stepLength) {
    const rows = await readCandidates(deps, resolved, ids.slice(start, start + stepLength))
    const found = rows.map((row) => ({ row, position: { value: null, record_id: row.record_id } }))
    for await (const { records } of readLargeData(reader, found)) {
      for (const { row } of records) {
        positions.push(positionOf(row))
        await pause()
      }
    }
  }
  const compare = createCompare(query)
  positions.sort(compare)
  const isWholeFilter =
    source.index === 'missing_review' && !isFiltered({ ...query, missing_review: null })
  const size = positions.length
  return scanPositions(deps, positions, { compare, size, allMatch: isWholeFilter })
}

async function findCandidates(
  deps: ScanDeps,
  { scope, minChangeSeq, reviewedIds }: ResolvedQuery,
  source: CandidateSource,
  limit: number,
): Promise<number[] | null> {
  const { db, dialect } = deps
  switch (source.index) {
    case 'hub_column':
      return findByHubColumn(deps, scope, source.condition, limit)
    case 'text':
      return dialect.findByText(source.terms, limit)
    case 'field':
      return findByCondition(db, scope, source.condition, limit)
    case 'missing_review':
      return reviewedIds
    case 'missing':
      return findWhere(db, sql`missing_since IS NOT NULL`, limit)
    case 'incomplete':
      return findWhere(db, sql`incomplete = 1`, limit)
    case 'change_seq':
      if (minChangeSeq === 0) return null
      return findWhere(db, sql`change_seq >= ${minChangeSeq} AND ${IN_LIST_INDEX}`, limit)
  }
}

/** @param condition a condition that an index contains. */
async function findWhere(
  db: Executor,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('records')
    .select('record_id')
    .where(sql<boolean>`${condition}`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.record_id)
}

/** Reads the columns that the order needs, of candidates in the modules of the list. */
async function readCandidates(
  { db, dialect }: ScanDeps,
  { query, scope }: ResolvedQuery,
  ids: number[],
): Promise<ListedRecord[]> {
  // Data is most of a record, and most candidates are on other pages.
  const columns = isDataColumn(query.sort) ? selectListed(db) : selectWithoutData(db)
  const select = columns.where('r.record_id', 'in', dialect.idList(ids))
  if (scope.all) return select.execute()
  const moduleIds = dialect.idList(scope.modules.map(({ module_id }) => module_id))
  return select.where('r.module_id', 'in', moduleIds).execute()
}

/**
 * Finds records by their name or reference number in the index that orders the records of a module by that column.
 * Returns the ids of records that may match a condition, at most `limit`. Every record of the scope that matches is
 * among them. Returns null if no index can be used.
 */
async function findByHubColumn(
  { db, dialect }: ScanDeps,
  scope: ListScope,
  condition: Condition,
  limit: number,
): Promise<number[] | null> {
  const { column, test } = condition
  const length = column === 'hub_full_name' ? dialect.nameIndexLength : null
  const key = keyOf(column, length)
  if (!key || (test !== 'is' && test !== 'in' && test !== 'starts')) return null
  const values = valuesOfCondition(condition).filter(isStorableText)
  if (values.length === 0) return []
  const isAny = values.map((value) => {
    const start = length === null ? value : truncateCodePoints(value, length)
    return test === 'starts' ? isBetween(key, start) : sql<boolean>`${key} = ${start}`
  })
  // With an inner join, SQLite would read all records and look their modules up. A cross join begins with the modules.
  let select = db
    .selectFrom('modules as m')
    .crossJoin('records as r')
    .select('r.record_id')
    .whereRef('r.platform_id', '=', 'm.platform_id')
    .whereRef('r.module_id', '=', 'm.module_id')
    .where(sql<boolean>`(${sql.join(isAny, sql` OR `)})`)
  // The index on references is not one of those for lists.
  if (column === 'hub_full_name') select = select.where(IN_LIST_INDEX)
  if (!scope.all) {
    const moduleIds = scope.modules.map(({ module_id }) => module_id)
    select = select.where('m.module_id', 'in', dialect.idList(moduleIds))
  }
  const rows = await select.limit(limit).execute()
  return rows.map((row) => row.record_id)
}

/** @param length the number of characters of a name in the index; null for all of them. */
function keyOf(column: Condition['column'], length: number | null): RawBuilder<unknown> | null {
  if (column === 'hub_reference_number') return sql.ref('r.reference_number')
  if (column !== 'hub_full_name') return null
  const name = sql.ref('r.full_name')
  return length === null ? name : sql`substr(${name}, 1, ${sql.lit(length)})`
}

function isBetween(key: RawBuilder<unknown>, prefix: string): RawBuilder<boolean> {
  const end = endOfPrefix(prefix)
  if (end === null) return sql<boolean>`${key} >= ${prefix}`
  return sql<boolean>`${key} >= ${prefix} AND ${key} < ${end}`
}
