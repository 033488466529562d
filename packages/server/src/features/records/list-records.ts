import type { RecordPage, StoredRecord } from '@recordhub/protocol'
import { parseData } from '../../domain/record/record.ts'
import { isDataColumn } from '../../domain/record/record-query.ts'
import { HubError } from '../../errors.ts'
import type {
  RecordPage as ListedPage,
  Position,
  RecordQuery,
  RecordRow,
} from '../../storage/port/record-list-store.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import { givenOf, readListQuery } from './list-query.ts'
import { type ListQuery, readCursor, type Start, writeCursor } from './record-cursor.ts'

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
  parts: {
    records: Pick<RecordStore, 'listRecords' | 'readRecord'>
    searchIndex: Pick<SearchIndexStore, 'readSearchIndex'>
  },
  request: RecordListRequest,
): Promise<RecordPage> {
  const { parameters, limit = DEFAULT_LIMIT, cursor } = request
  const query = readListQuery(givenOf(parameters))
  const start =
    cursor === undefined
      ? FIRST_PAGE
      : await completeStart(parts.records, readCursor(cursor, query), query)
  const asked = { ...query, ...start, limit, scan_ms: SCAN_MS }
  const page = await parts.records.listRecords(asked)
  if (page.outcome === 'too_slow') throw new HubError('sort_too_slow', { sort: query.sort })
  const { next, previous } = findNeighbours(page, { ...start, descending: query.descending })
  return {
    success: true,
    records: page.records.map(toStoredRecord),
    next_cursor: next && writeCursor(query, { after: next, backwards: false }),
    previous_cursor: previous && writeCursor(query, { after: previous, backwards: true }),
    complete: page.stopped_at === null,
    estimated_total: page.estimated_total,
    total_is_estimate: page.is_estimate,
    search_lag: goesByIndex(query) ? (await parts.searchIndex.readSearchIndex()).lag : null,
  }
}

type PageStart = Pick<RecordQuery, 'after' | 'backwards'>

/** The place of a cursor that has only the beginning of a long name. */
async function completeStart(
  records: Pick<RecordStore, 'readRecord'>,
  { after, backwards, isCut }: Start,
  { descending }: ListQuery,
): Promise<PageStart> {
  if (!isCut) return { after, backwards }
  const { record_id } = after
  const beginning = String(after.value)
  const name = (await records.readRecord(record_id))?.full_name
  if (name?.startsWith(beginning)) return { after: { value: name, record_id }, backwards }
  // It is gone or called otherwise: rather some records twice than one of them not at all.
  const isFalling = descending !== backwards
  const value = isFalling ? `${beginning}\u{10ffff}` : beginning
  return { after: { value, record_id }, backwards }
}

type Neighbours = { next: Position | null; previous: Position | null }

/** Where the pages beside a page begin; null where there is nothing. */
function findNeighbours(
  { first, last, stopped_at, has_more }: ListedPage,
  { after, backwards, descending }: PageStart & { descending: boolean },
): Neighbours {
  // Before the first page there is nothing.
  if (after === null) return { next: has_more ? (stopped_at ?? last) : null, previous: null }
  const ahead = has_more ? (stopped_at ?? (backwards ? first : last)) : null
  // An empty page has no record to turn round at: the one that it begins behind is on the page beside it.
  const turn = (backwards ? last : first) ?? placeBeside(after, backwards === descending)
  return backwards ? { next: turn, previous: ahead } : { next: ahead, previous: turn }
}

/** Between a record's place and the next one above or below it: ties go by the record's number. */
function placeBeside({ value, record_id }: Position, above: boolean): Position {
  return { value, record_id: above ? record_id + 1 : record_id - 1 }
}

/** A record as the API shows it. */
export function toStoredRecord(row: RecordRow): StoredRecord {
  const { data, change_seq: _, ...record } = row
  return { ...record, data: parseData(data) }
}

const FIRST_PAGE: PageStart = { after: null, backwards: false }

function goesByIndex({ search, sort, conditions }: ListQuery): boolean {
  return search !== null || isDataColumn(sort) || conditions.some((one) => isDataColumn(one.column))
}
