import type { RecordPage, StoredRecord } from '@recordhub/protocol'
import { isDataColumn } from '../../domain/record-query.ts'
import { HubError } from '../../errors.ts'
import { isJsonObject, parseExact } from '../../lib/exact-json.ts'
import type { RecordListStore, RecordRow } from '../../storage/port/record-list-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import { givenOf, readListQuery } from './list-query.ts'
import { type ListQuery, readCursor, writeCursor } from './record-cursor.ts'

const DEFAULT_LIMIT = 50
/** Longer than this nobody waits for records that no index finds. */
export const SCAN_MS = 2000

/** The query of a URL, and the page of its list. */
export type RecordListRequest = {
  parameters: Record<string, string | undefined>
  limit?: number | undefined
  cursor?: string | undefined
}

/**
 * One page of records, as the query of a URL asks for it.
 * @throws HubError `invalid_request` naming the parameter that does not fit; `sort_too_slow`.
 */
export async function listRecords(
  parts: { records: RecordListStore; searchIndex: Pick<SearchIndexStore, 'readSearchIndex'> },
  request: RecordListRequest,
): Promise<RecordPage> {
  const { parameters, limit = DEFAULT_LIMIT, cursor } = request
  const query = readListQuery(givenOf(parameters))
  const start = cursor === undefined ? FIRST_PAGE : readCursor(cursor, query)
  const asked = { ...query, ...start, limit, scan_ms: SCAN_MS }
  const page = await parts.records.listRecords(asked)
  if (page.outcome === 'too_slow') throw new HubError('sort_too_slow', { sort: query.sort })
  const { first, last, stopped_at, has_more } = page
  const { after, backwards } = start
  const next = backwards ? (last ?? after) : has_more ? (stopped_at ?? last) : null
  const previousOne = backwards ? (has_more ? (stopped_at ?? first) : null) : (first ?? after)
  // Before the first page there is nothing.
  const previous = after === null ? null : previousOne
  return {
    success: true,
    records: page.records.map(toStoredRecord),
    next_cursor: next && writeCursor(query, { after: next, backwards: false }),
    previous_cursor: previous && writeCursor(query, { after: previous, backwards: true }),
    complete: stopped_at === null,
    estimated_total: page.estimated_total,
    total_is_estimate: page.is_estimate,
    search_lag: goesByIndex(query) ? (await parts.searchIndex.readSearchIndex()).lag : null,
  }
}

export function toStoredRecord(row: RecordRow): StoredRecord {
  const { data, change_seq: _, ...record } = row
  const parsed = parseExact(data)
  if (!isJsonObject(parsed)) throw new Error('The data of a stored record is no JSON object')
  return { ...record, data: parsed }
}

const FIRST_PAGE = { after: null, backwards: false }

function goesByIndex({ search, sort, conditions }: ListQuery): boolean {
  return search !== null || isDataColumn(sort) || conditions.some((one) => isDataColumn(one.column))
}
