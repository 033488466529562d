import { RecordPage, RequestText, type SearchMatch, type StoredRecord } from '@recordhub/protocol'
import { Type } from 'typebox'
import { parseData } from '../../domain/record/record.ts'
import { isDataColumn } from '../../domain/record/record-query.ts'
import { findMatches } from '../../domain/search/search-matches.ts'
import { parseSearch, type SearchTerms } from '../../domain/search/search-text.ts'
import { HubError } from '../../errors.ts'
import { route } from '../../http/route.ts'
import { createPause } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RecordRow } from '../../storage/port/record-list-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  decodeCursor,
  FIELD_FILTERS,
  FilterParameter,
  findCursors,
  ListFilters,
  type ListParameters,
  type ListQuery,
  resolveListQuery,
  startOf,
} from './list-query.ts'

const DEFAULT_LIMIT = 50
/** Time limit of a request that scans records without an index. */
export const SCAN_MS = 2000

export type ListDeps = Pick<FeatureDeps, 'records' | 'searchIndex'>

type RecordListRequest = {
  /** The parameters of the URL except for `limit` and `cursor`. */
  parameters: ListParameters
  limit?: number | undefined
  cursor?: string | undefined
  scan_ms?: number
}

/**
 * Reads one page of the records that the query of a URL selects.
 * @throws HubError `invalid_request` with the name of the invalid parameter; `sort_too_slow`; `list_changed` if the query no
 * longer means what it meant on the first page.
 */
export async function listRecords(deps: ListDeps, request: RecordListRequest): Promise<RecordPage> {
  const { parameters, limit = DEFAULT_LIMIT, cursor, scan_ms = SCAN_MS } = request
  const { query, scope } = await resolveListQuery(parameters, (one) => deps.records.readScope(one))
  const list = { query, scope }
  const start =
    cursor === undefined ? startOf(scope) : await decodeCursor(deps.records, cursor, list)
  const { after, backwards, last_removal } = start
  const page = await deps.records.listRecords({
    ...{ ...query, scope: { ...scope, last_removal }, after, backwards },
    ...{ limit, scan_ms },
  })
  if (page.outcome === 'too_slow') throw new HubError('sort_too_slow', { sort: query.sort })
  if (page.outcome === 'changed') throw new HubError('list_changed')
  return {
    success: true,
    records: page.records.map(toStoredRecord),
    ...findCursors(page, start, list),
    complete: page.stopped_at === null,
    estimated_total: page.estimated_total,
    total_is_estimate: page.is_estimate,
    search_lag: usesIndex(query) ? (await deps.searchIndex.readSearchIndex()).lag : null,
  }
}

/** Adds to each record the values that contain the terms of a search. */
export async function addMatches<Row extends StoredRecord>(
  rows: readonly Row[],
  terms: SearchTerms,
): Promise<(Row & { matches: SearchMatch[] })[]> {
  const pause = createPause()
  const records: (Row & { matches: SearchMatch[] })[] = []
  for (const row of rows) {
    records.push({ ...row, matches: findMatches(row, terms) })
    await pause()
  }
  return records
}

/** Returns a record as the API shows it. */
export function toStoredRecord(row: RecordRow): StoredRecord {
  const { data, change_seq: _, ...record } = row
  return { ...record, data: parseData(data) }
}

/** Whether the list depends on an index that is updated in the background. */
function usesIndex({ search, sort, conditions }: ListQuery): boolean {
  return search !== null || isDataColumn(sort) || conditions.some((one) => isDataColumn(one.column))
}

export function recordListRoutes(deps: ListDeps) {
  return [
    route('GET /api/v1/records', {
      summary: 'List, search, filter and sort records',
      description: FIELD_FILTERS,
      query: {
        ...ListFilters,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
        cursor: Type.Optional(
          RequestText({
            description: 'next_cursor or previous_cursor of a page of the same list',
          }),
        ),
      },
      otherQuery: FilterParameter,
      response: RecordPage.properties,
      async handle({ query: { limit, cursor, ...parameters } }) {
        const page = await listRecords(deps, { parameters, limit, cursor })
        const terms = parseSearch(parameters.q ?? '')
        return terms.length === 0
          ? page
          : { ...page, records: await addMatches(page.records, terms) }
      },
    }),
  ]
}
