/**
 * Lists of records. `scan-strategies.ts` decides how a list is read; a scan (`record-scan.ts`) reads it;
 * `record-page.ts` filters the records and ends the page. The filter runs in JavaScript, the same on every engine.
 */
import { isDataColumn, isFiltered } from '../../../domain/record/record-query.ts'
import type { ThreadFigures } from '../../port/metrics-store.ts'
import type {
  ListScope,
  RecordListStore,
  RecordQuery,
  ScopeQuery,
} from '../../port/record-list-store.ts'
import { countRecords } from '../records/module-counts.ts'
import { isScopeCurrent, readNamedScope, readScope } from '../records/module-scope.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import { createRequestThread, serveRequests } from '../request-thread.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { scanCandidates } from './candidate-scan.ts'
import { scanHubColumn, scanSorted } from './hub-column-scan.ts'
import { scanIndexedField } from './indexed-field-scan.ts'
import { readRecordPage } from './record-page.ts'
import {
  createCompare,
  createMatches,
  type RecordListDialect,
  type RecordScan,
  type ResolvedQuery,
  type ScanDeps,
  scanPositions,
} from './record-scan.ts'
import { isSingleIndexRead, listStrategies, type ScanStrategy } from './scan-strategies.ts'

export function createRecordListStore(
  { reader: db }: Pick<Databases, 'reader'>,
  dialect: RecordListDialect,
): RecordListStore {
  return {
    readScope: (query) => readScope(db, query),
    readNamedScope: (query) => readNamedScope(db, query),
    countRecords: (query) => countRecords(db, query),

    async listRecords(query) {
      const deadline = performance.now() + query.scan_ms
      const resolved = await resolveQuery(db, query)
      const scan = await openScan({ db, dialect }, resolved, deadline)
      if (!scan) return { outcome: 'too_slow' }
      const matches = isFiltered(query) ? createMatches(resolved) : null
      const countAll = () => countRecords(db, query)
      const page = await readRecordPage(scan, query, { matches, deadline, countAll })
      // After the page was read, so that it lacks no records.
      const isCurrent = query.scope === null || (await isScopeCurrent(db, query, query.scope))
      return isCurrent ? page : { outcome: 'changed' }
    },
  }
}

/** @returns null if no strategy can read the list before the deadline. */
async function openScan(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  deadline: number,
): Promise<RecordScan | null> {
  const { query, scope } = resolved
  if (!scope.all && scope.modules.length === 0) {
    return scanPositions(deps, [], { compare: createCompare(query), size: 0, allMatch: true })
  }
  for (const strategy of listStrategies(query)) {
    const scan = await openStrategy(deps, resolved, strategy, deadline)
    if (scan) return scan
  }
  return null
}

/** @returns null if the strategy does not apply. */
async function openStrategy(
  deps: ScanDeps,
  resolved: ResolvedQuery,
  strategy: ScanStrategy,
  deadline: number,
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
      return scanSorted(deps, resolved, { sort: strategy.sort, deadline })
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
  const row = await db
    .selectFrom('missing_reviews')
    .select('record_ids')
    .where('missing_review_id', '=', reviewId)
    .executeTakeFirst()
  return row ? JSON.parse(row.record_ids) : []
}

/** The tolerance: times rise with the write sequence, except for concurrent transactions and adjusted clocks. */
const MARGIN_MS = 10 * 60_000
/** The search ends when the remaining range has at most this many numbers. */
const PRECISION = 1000

/**
 * Returns a number of the write sequence below every change since a time; 0 without a time. A binary search finds it,
 * because times rise with the sequence.
 */
async function findMinChangeSeq(db: Executor, since: string | null): Promise<number> {
  if (since === null) return 0
  const earliest = new Date(Date.parse(since) - MARGIN_MS).toISOString()
  let before = 0
  let from = await findLastChange(db)
  while (from - before > PRECISION) {
    const middle = Math.floor((before + from) / 2)
    const record = await db
      .selectFrom('records')
      .select(['change_seq', 'updated_at'])
      .where('change_seq', '>=', middle)
      .where(IN_LIST_INDEX)
      .orderBy('change_seq')
      .limit(1)
      .executeTakeFirst()
    if (record && record.updated_at < earliest) before = record.change_seq
    else from = middle
  }
  return before
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

type Lists = Pick<RecordListStore, 'listRecords' | 'readScope'>
type ReadRequest = { list: RecordQuery } | { scope: ScopeQuery }
type Read = Awaited<ReturnType<Lists['listRecords']>> | ListScope

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
    // A scan allocates much memory; a small young generation is collected early.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  return {
    lists: {
      async listRecords(query) {
        if (isSingleIndexRead(query)) return lists.listRecords(query)
        const read = await thread.request({ list: query })
        if ('outcome' in read) return read
        throw new Error('The thread has read a scope instead of a list')
      },
      async readScope(query) {
        const { sort, conditions } = query
        const columns = [sort, ...conditions.map(({ column }) => column)]
        if (!columns.some(isDataColumn)) return lists.readScope(query)
        const read = await thread.request({ scope: query })
        if ('everywhere' in read) return read
        throw new Error('The thread has read a list instead of a scope')
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

/** Serves the requests of `createReadThread` in the thread. */
export function serveLists({ listRecords, readScope }: Lists): void {
  serveRequests(
    (request: ReadRequest): Promise<Read> =>
      'list' in request ? listRecords(request.list) : readScope(request.scope),
  )
}
