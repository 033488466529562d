/** Decides how a list of records is read. */
import { BY_RELEVANCE, type RecordSort } from '@recordhub/protocol'
import {
  type Condition,
  type DataColumn,
  isDataColumn,
  isFiltered,
} from '../../../domain/record/record-query.ts'
import type { SearchTerms } from '../../../domain/search/search-text.ts'
import type { RecordQuery } from '../../port/record-list-store.ts'

/** An index that finds every record that matches a condition of the filter. */
export type CandidateSource =
  | { index: 'hub_column'; condition: Condition }
  | { index: 'text'; terms: SearchTerms }
  | { index: 'field'; condition: Condition }
  | { index: 'missing_review' }
  | { index: 'missing' }
  | { index: 'incomplete' }
  | { index: 'change_seq' }

export type ScanStrategy =
  /** Reads the few records that an index returns. Does not apply if the index returns too many. */
  | { scan: 'candidates'; source: CandidateSource }
  /** Reads the list in the order of the index on a hub column. Always applies. */
  | { scan: 'hub_column'; sort: RecordSort }
  /** Reads the list in the order of the index of a field. Applies if the field has an index. */
  | { scan: 'indexed_field'; sort: DataColumn }
  /** Reads all records and sorts those that match. Always applies, but can exceed the time limit. */
  | { scan: 'sorted'; sort: DataColumn | typeof BY_RELEVANCE }

/** Returns the strategies for a query, the fastest first. The first one that applies is used. */
export function listStrategies(query: RecordQuery): ScanStrategy[] {
  const candidates = listSources(query).map(
    (source): ScanStrategy => ({ scan: 'candidates', source }),
  )
  const { sort } = query
  if (sort === BY_RELEVANCE) return [...candidates, { scan: 'sorted', sort }]
  if (!isDataColumn(sort)) return [...candidates, { scan: 'hub_column', sort }]
  return [...candidates, { scan: 'indexed_field', sort }, { scan: 'sorted', sort }]
}

/** Returns the most selective index first. */
function listSources(query: RecordQuery): CandidateSource[] {
  const { reference_number, search, missing_review, missing, incomplete, changed_since } = query
  const sources: CandidateSource[] = []
  if (reference_number !== null) {
    const condition = {
      column: 'hub_reference_number',
      test: 'is',
      value: reference_number,
    } as const
    sources.push({ index: 'hub_column', condition })
  }
  if (search !== null) sources.push({ index: 'text', terms: search })
  for (const condition of query.conditions) {
    const index = isDataColumn(condition.column) ? 'field' : 'hub_column'
    sources.push({ index, condition })
  }
  if (missing_review !== null) sources.push({ index: 'missing_review' })
  if (missing === true) sources.push({ index: 'missing' })
  if (incomplete === true) sources.push({ index: 'incomplete' })
  if (changed_since !== null) sources.push({ index: 'change_seq' })
  return sources
}

/** Whether the engine reads a page with a single lookup in one index. */
export function isSingleIndexRead(query: RecordQuery): boolean {
  const { platform, record_type, sort, scope } = query
  if (isFiltered(query) || isDataColumn(sort) || sort === BY_RELEVANCE) return false
  // While records are deleted, the scan passes over them.
  if (platform === null && record_type === null) return hasGlobalIndex(sort) && scope?.all !== false
  return platform !== null && record_type !== null
}

/** Whether an index orders the records of all modules. The other columns have an index per module. */
export function hasGlobalIndex(sort: RecordSort): boolean {
  return sort !== 'reference_number' && sort !== 'full_name'
}
