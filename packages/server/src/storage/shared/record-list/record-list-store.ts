/**
 * Lists of records. `scan-strategies.ts` decides how a list is read; a scan (`record-scan.ts`) reads it;
 * `record-page.ts` filters the records and ends the page. The filter runs in JavaScript, the same on every engine.
 */
import { isFiltered } from '../../../domain/record/record-query.ts'
import type { RecordListStore } from '../../port/record-list-store.ts'
import { countRecords } from '../records/module-counts.ts'
import { isScopeCurrent, readNamedScope, readScope } from '../records/module-scope.ts'
import type { Databases } from '../schema/databases.ts'
import { scanCandidates } from './candidate-scan.ts'
import { scanHubColumn } from './hub-column-scan.ts'
import { scanIndexedField } from './indexed-field-scan.ts'
import { scanPositions } from './position-scan.ts'
import { createCompare, createMatches } from './record-order.ts'
import { readRecordPage } from './record-page.ts'
import type { RecordListDialect, RecordScan, ResolvedQuery, ScanDeps } from './record-scan.ts'
import { resolveQuery } from './resolve-query.ts'
import { listStrategies, type ScanStrategy } from './scan-strategies.ts'
import { scanSorted } from './sorted-scan.ts'

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
