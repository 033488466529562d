/** Reads the few records that an index returns for one condition of the filter. */
import { type RawBuilder, sql } from 'kysely'
import { isDataColumn, isFiltered } from '../../../domain/record/record-query.ts'
import { createPause } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { Position } from '../../port/record-list-store.ts'
import {
  IN_LIST_INDEX,
  LIGHT_COLUMNS,
  type SelectedRecord,
  selectRecords,
} from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { findByHubColumn } from './hub-column-index.ts'
import { findByCondition } from './indexed-field-scan.ts'
import { scanPositions } from './position-scan.ts'
import { createCompare, createPositionOf } from './record-order.ts'
import type { RecordScan, ResolvedQuery, ScanDeps } from './record-scan.ts'
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
  const positionOf = createPositionOf(query.sort, scope)
  const positions: Position[] = []
  const pause = createPause()
  const stepLength = isDataColumn(query.sort) ? PARSE_STEP : MAX_CANDIDATES
  for (let start = 0; start < ids.length; start += stepLength) {
    const rows = await readCandidates(deps, resolved, ids.slice(start, start + stepLength))
    for (const row of rows) {
      positions.push(positionOf(row))
      await pause()
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
): Promise<SelectedRecord[]> {
  let select = selectRecords(db).where('r.record_id', 'in', dialect.idList(ids))
  if (!scope.all) {
    const moduleIds = dialect.idList(scope.modules.map(({ module_id }) => module_id))
    select = select.where('r.module_id', 'in', moduleIds)
  }
  if (isDataColumn(query.sort)) return select.execute()
  // Data is most of a record, and most candidates are on other pages.
  return select
    .clearSelect()
    .select([...LIGHT_COLUMNS])
    .select(sql<string>`'{}'`.as('data'))
    .execute()
}
