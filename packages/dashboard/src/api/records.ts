import type {
  DataFieldsResponse,
  ErasurePreview,
  FacetsResponse,
  FieldOrigin,
  HistoryEntry,
  RecordPage,
  SavedView,
  SearchLine,
  StoredRecord,
} from '@recordhub/protocol'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type UrlChanges, writeUrlState } from '../lib/url-state.ts'
import { callHubLossless } from './call-hub-lossless.ts'
import { getQuery, queriesOf } from './get-query.ts'
import { callHubLines } from './ndjson.ts'
import { LIVE } from './queries.ts'

const RECORDS = 'GET /api/v1/records'
const RECORD = { queryKey: ['record'] } as const

/** Matches all lists of records. */
export const RECORD_LISTS = queriesOf(RECORDS)

/** A page of the list. The previous page stays visible while it loads. */
export function recordPageQuery(query: string) {
  const options = { query, live: true, keepsPrevious: true, lossless: true } as const
  return getQuery<RecordPage>(RECORDS, options)
}

/** The records of a platform with these references. Disabled for none. */
export function recordsByReferenceQuery(platform: string, references: readonly string[]) {
  // Several modules may have the same reference number.
  const query = new URLSearchParams({ platform, limit: '200' })
  for (const one of references) query.append('filter[hub_reference_number][in]', one)
  return {
    ...getQuery<RecordPage>(RECORDS, { query: `${query}`, lossless: true }),
    // Of a part of the records, none could be said to be absent.
    select: ({ records, complete, next_cursor }: RecordPage) =>
      complete && next_cursor === null ? records : undefined,
    enabled: references.length > 0,
    retry: false,
  }
}

/** The number of records without filters. */
export function recordTotalQuery(query: UrlChanges, enabled: boolean) {
  return {
    ...getQuery<RecordPage>(RECORDS, { query: { ...query, limit: '1' } }),
    select: ({ estimated_total }: RecordPage) => estimated_total,
    staleTime: 60_000,
    enabled,
  }
}

/** What the data of a module's records contain. Disabled for null. */
export function dataFieldsQuery(module: { platformId: number; recordType: string } | null) {
  const { platformId: id = 0, recordType: record_type = '' } = module ?? {}
  return {
    ...getQuery<DataFieldsResponse>('GET /api/v1/platforms/:id/modules/:record_type/fields', {
      params: { id, record_type },
    }),
    staleTime: 300_000,
    enabled: module !== null,
  }
}

/** The values of some paths in the records of a list, with counts. Disabled without paths. */
export function facetsQuery(query: string, paths: readonly string[]) {
  const facets = paths.map((path) => `&facet=${encodeURIComponent(path)}`).join('')
  const options = { query: `${query}${facets}`, keepsPrevious: true }
  return {
    ...getQuery<FacetsResponse>(`${RECORDS}/facets`, options),
    staleTime: 30_000,
    enabled: paths.length > 0,
  }
}

/** The best search results of the hub in a module or platform. Disabled for an empty text. */
export function hubSearchQuery(text: string, scope: { record_type?: string; platform?: string }) {
  return queryOptions({
    queryKey: ['GET /api/v1/search', text, scope],
    queryFn: async ({ signal }) => {
      const path = `/api/v1/search${writeUrlState({ query: text, hub_only: 'true', ...scope })}`
      for await (const line of callHubLines<SearchLine>(path, { signal })) {
        if (line.kind === 'hub') return line
      }
      return null
    },
    enabled: text !== '',
  })
}

/** The saved views of the operator, and those shared by others. */
export const viewsQuery = () => getQuery<{ views: SavedView[] }>('GET /api/v1/views')

/** An earlier version of a record may have no `updated_at`. */
export type ShownRecord = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

/** One version of a record; the sources of its values and the number of its last change are known for the current one. */
export type RecordVersion = { record: ShownRecord; fields?: FieldOrigin[]; change_seq?: number }

/** Which version of a record: at a time, or after one of its changes; null for the current one. */
export type PastVersion = { as_of: string } | { change_seq: string } | null

export function recordQuery(id: string, past: PastVersion) {
  const path = past === null ? `${recordPath(id)}/fields` : recordPath(id, past)
  return queryOptions({
    queryKey: [...RECORD.queryKey, 'version', id, past],
    queryFn: ({ signal }) => callHubLossless<RecordVersion>(path, { signal }),
    meta: { live: past === null },
  })
}

type HistoryPage = { history: HistoryEntry[]; next_cursor: string | null }

/** The changes of a record up to one of its versions. */
export function recordHistoryQuery(id: string, changeSeq: number | undefined) {
  return infiniteQueryOptions({
    queryKey: [...RECORD.queryKey, 'history', id, changeSeq ?? null],
    queryFn: ({ signal, pageParam }) => {
      const from =
        pageParam === '' ? { change_seq: String(changeSeq ?? '') } : { cursor: pageParam }
      const path = `${recordPath(id)}/history${writeUrlState(from)}`
      return callHubLossless<HistoryPage>(path, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    meta: LIVE,
  })
}

/** The data that erasing a record would delete. */
export function erasurePreviewQuery(id: string) {
  return getQuery<{ erasure: ErasurePreview }>(`${RECORDS}/:id/erasure`, { params: { id } })
}

export function recordPath(id: string, past: PastVersion = null): string {
  return `/api/v1/records/${encodeURIComponent(id)}${writeUrlState(past ?? {})}`
}
