/**
 * Lists of records. `scan-strategies.ts` decides how a list is read; a scan (`record-scan.ts`) reads it;
 * `record-page.ts` filters the records and ends the page. The filter runs in JavaScript, the same on every engine.
 */
import { createFacetCounter, createPathCollector } from '../../../domain/record/data-values.ts'
import { createConditionMatcher } from '../../../domain/record/record-match.ts'
import {
  type Condition,
  isDataColumn,
  isFiltered,
  NO_FILTER,
  pathOfColumn,
  type RecordFilter,
} from '../../../domain/record/record-query.ts'
import { limitWork, type WorkLimit } from '../../../lib/time/work-limit.ts'
import type {
  FacetQuery,
  ListScope,
  RecordListStore,
  RecordQuery,
  ScopeQuery,
} from '../../port/record-list-store.ts'
import type { ThreadFigures } from '../../port/statistics-store.ts'
import { countRecords } from '../records/module-counts.ts'
import { isScopeCurrent, readNamedScope, readScope } from '../records/module-scope.ts'
import { IN_LIST_INDEX, toFilteredRecord } from '../records/record-rows.ts'
import { createRequestThread, serveRequests } from '../request-thread.ts'
import { type Databases, type Executor, searchTime, TIME_MARGIN_MS } from '../schema/databases.ts'
import { findRow } from '../schema/rows.ts'
import { scanCandidates } from './candidate-scan.ts'
import { scanHubColumn, scanSorted } from './hub-column-scan.ts'
import { scanIndexedField } from './indexed-field-scan.ts'
import { createLargeDataReader } from './large-data.ts'
import { readRecordPage } from './record-page.ts'
import {
  createCompare,
  createMatches,
  type RecordListDialect,
  type RecordScan,
  type ResolvedQuery,
  type ScanDeps,
  scanPositions,
  visitRecords,
} from './record-scan.ts'
import { isSingleIndexRead, listStrategies, type ScanStrategy } from './scan-strategies.ts'

export function createRecordListStore(
  { reader: db }: Pick<Databases, 'reader'>,
  dialect: RecordListDialect,
): RecordListStore {
  const reader = createLargeDataReader({ db, dialect })
  return {
    readScope: (query) => readScope(db, query),
    readNamedScope: (query) => readNamedScope(db, query),
    countRecords: (query) => countRecords(db, query),

    async listRecords(query) {
      const time = limitWork(query.scan_ms)
      const resolved = await resolveQuery(db, query)
      const scan = await openScan({ db, dialect }, resolved, time)
      if (!scan) return { outcome: 'too_slow' }
      const matches = isFiltered(query) ? createMatches(resolved) : null
      const countAll = () => countRecords(db, query)
      const page = await readRecordPage(reader, scan, query, { matches, time, countAll })
      // After the page was read, so that it lacks no records.
      const isCurrent = query.scope === null || (await isScopeCurrent(db, query, query.scope))
      return isCurrent ? page : { outcome: 'changed' }
    },

    countValues: (query) => countValues({ db, dialect }, query),

    async findPaths({ platform, record_type, scan_ms }) {
      const time = limitWork(scan_ms)
      const query = wholeList({ ...NO_FILTER, platform, record_type, scan_ms, scope: null })
      const resolved = await resolveQuery(db, query)
      const collector = createPathCollector()
      const read = await visitRecords(
        reader,
        scanLastChanged({ db, dialect }, resolved),
        time,
        (row) => {
          collector.add(toFilteredRecord(row).data)
          return true
        },
        SAMPLE,
      )
      return { ...collector.list(), ...read }
    },
  }
}

/** What is read of a module to find its paths. */
const SAMPLE = { records: 500, size: 4_000_000 }

/** A query of all records that a filter selects, those first that changed last. */
function wholeList(
  filter: RecordFilter & Pick<RecordQuery, 'scope' | 'scan_ms'>,
): RecordQuery & { sort: 'updated_at' } {
  const order = { sort: 'updated_at', descending: true } as const
  return { ...filter, ...order, limit: 1, after: null, backwards: false }
}

function scanLastChanged(deps: ScanDeps, resolved: ResolvedQuery): RecordScan {
  return scanHubColumn(deps, resolved, { sort: 'updated_at', descending: true })
}

async function countValues(
  deps: ScanDeps,
  { columns, ...filter }: FacetQuery,
): ReturnType<RecordListStore['countValues']> {
  const time = limitWork(filter.scan_ms)
  const isOwn = ({ column }: Condition) => columns.some((one) => one === column)
  const conditions = filter.conditions.filter((condition) => !isOwn(condition))
  const query = wholeList({ ...filter, conditions })
  const resolved = await resolveQuery(deps.db, query)
  const scan = (await openScan(deps, resolved, time)) ?? scanLastChanged(deps, resolved)
  const matches = isFiltered(query) && !scan.allMatch ? createMatches(resolved) : null
  const own = filter.conditions.filter(isOwn).map((condition) => ({
    column: condition.column,
    matches: createConditionMatcher(condition, filter.scope.kinds),
  }))
  const facets = columns.map((column) => ({
    others: own.filter((one) => one.column !== column),
    counter: createFacetCounter(pathOfColumn(column)),
  }))
  const read = await visitRecords(createLargeDataReader(deps), scan, time, (row) => {
    if (matches && !matches(row)) return true
    const record = toFilteredRecord(row)
    for (const { others, counter } of facets) {
      if (others.every((one) => one.matches(record))) counter.add(record.data)
    }
    return !facets.every(({ counter }) => counter.hasTooMany())
  })
  if (!(await isScopeCurrent(deps.db, query, filter.scope))) return { outcome: 'changed' }
  return { outcome: 'counted', facets: facets.map(({ counter }) => counter.count()), ...read }
}

/** @returns null if no strategy can read the list in the time. */
async function openScan(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  time: WorkLimit,
): Promise<RecordScan | null> {
  const { query, scope } = resolved
  if (!scope.all && scope.modules.length === 0) {
    return scanPositions(deps, [], { compare: createCompare(query), size: 0, allMatch: true })
  }
  for (const strategy of listStrategies(query)) {
    const scan = await openStrategy(deps, resolved, strategy, time)
    if (scan) return scan
  }
  return null
}

/** @returns null if the strategy does not apply. */
async function openStrategy(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  strategy: ScanStrategy,
  time: WorkLimit,
): Promise<RecordScan | null> {
  const { descending, backwards } = resolved.query
  switch (strategy.scan) {
    case 'candidates':
      return scanCandidates(deps, resolved, strategy.source)
    case 'hub_column':
      return scanHubColumn(deps, resolved, {
        sort: strategy.sort,
        descending: descending !== backwards,
      })
    case 'indexed_field':
      return scanIndexedField(deps, resolved, strategy.sort)
    case 'sorted':
      return scanSorted(deps, resolved, { sort: strategy.sort, time })
  }
}

/** Looks up the names, times and reviews of a list's query in the database. */
async function resolveQuery(db: Executor, query: RecordQuery): Promise<ResolvedQuery> {
  const { changed_since, missing_review } = query
  return {
    query,
    scope: query.scope ?? (await readScope(db, query)),
    minChangeSeq: await findMinChangeSeq(db, changed_since),
    reviewedIds: missing_review === null ? null : await readReviewedIds(db, missing_review),
  }
}

/** Returns no ids if the review does not exist. */
async function readReviewedIds(db: Executor, reviewId: number): Promise<number[]> {
  const row = await findRow(db, 'missing_reviews', { missing_review_id: reviewId }, ['record_ids'])
  return row ? JSON.parse(row.record_ids) : []
}

/** Returns a number of the write sequence below every change since a time; 0 without a time. */
async function findMinChangeSeq(db: Executor, since: string | null): Promise<number> {
  if (since === null) return 0
  const earliest = new Date(Date.parse(since) - TIME_MARGIN_MS).toISOString()
  const findFrom = (number: number) =>
    db
      .selectFrom('records')
      .select(['change_seq as id', 'updated_at as at'])
      .where('change_seq', '>=', number)
      .where(IN_LIST_INDEX)
      .orderBy('change_seq')
      .limit(1)
      .executeTakeFirst()
  const range = { before: 0, from: await findLastChange(db) }
  return (await searchTime(findFrom, range, earliest)).before
}

async function findLastChange(db: Executor): Promise<number> {
  const last = await db
    .selectFrom('records')
    .select('change_seq')
    .where(IN_LIST_INDEX)
    .orderBy('change_seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.change_seq ?? 0
}

type Lists = Pick<RecordListStore, 'listRecords' | 'readScope' | 'countValues' | 'findPaths'>
type ReadRequest =
  | { list: RecordQuery }
  | { scope: ScopeQuery }
  | { values: FacetQuery }
  | { paths: Parameters<Lists['findPaths']>[0] }
type Read =
  | { list: Awaited<ReturnType<Lists['listRecords']>> }
  | { scope: ListScope }
  | { values: Awaited<ReturnType<Lists['countValues']>> }
  | { paths: Awaited<ReturnType<Lists['findPaths']>> }

/** Each may take two seconds. */
const MAX_REQUESTS = 64

/**
 * Lists records on a thread if the list needs more than an index look-up: on the main thread it would delay every push,
 * by the time that one value takes, which may be as large as a response of a platform. The same for a scope that depends on
 * the fields of modules.
 * @param file serves its requests with `serveLists`.
 * @param lists does the others on this thread.
 */
export function createReadThread(
  file: URL,
  { lists, ...options }: { workerData: unknown; lists: Lists; warn: (message: string) => void },
): { lists: Lists; figures: () => ThreadFigures; stop: () => Promise<void> } {
  const thread = createRequestThread<ReadRequest, Read>(file, {
    ...options,
    maxRequests: MAX_REQUESTS,
    // A scan allocates much and keeps little of it, so that a small young generation takes no more time.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  return {
    lists: {
      async listRecords(query) {
        if (isSingleIndexRead(query)) return lists.listRecords(query)
        const read = await thread.request({ list: query })
        if ('list' in read) return read.list
        throw unexpected(read)
      },
      async readScope(query) {
        const { sort, conditions } = query
        const columns = [sort, ...conditions.map(({ column }) => column)]
        if (!columns.some(isDataColumn)) return lists.readScope(query)
        const read = await thread.request({ scope: query })
        if ('scope' in read) return read.scope
        throw unexpected(read)
      },
      async countValues(query) {
        const read = await thread.request({ values: query })
        if ('values' in read) return read.values
        throw unexpected(read)
      },
      async findPaths(query) {
        const read = await thread.request({ paths: query })
        if ('paths' in read) return read.paths
        throw unexpected(read)
      },
    },
    figures: () => ({
      thread: 'read',
      is_running: thread.isRunning(),
      requests: thread.countRequests(),
    }),
    stop: thread.stop,
  }
}

function unexpected(read: Read): Error {
  return new Error(`The thread has read ${Object.keys(read)} instead of what it was asked for`)
}

/** Serves the requests of `createReadThread` in the thread. */
export function serveLists(lists: Lists): void {
  serveRequests(async (request: ReadRequest): Promise<Read> => {
    if ('list' in request) return { list: await lists.listRecords(request.list) }
    if ('values' in request) return { values: await lists.countValues(request.values) }
    if ('paths' in request) return { paths: await lists.findPaths(request.paths) }
    return { scope: await lists.readScope(request.scope) }
  })
}
