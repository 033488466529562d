import type {
  ErasurePreview,
  FieldOrigin,
  HistoryEntry,
  RecordPage,
  RecordSummary,
  StoredRecord,
} from '@recordhub/protocol'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { callHubExact } from './call-hub-exact.ts'
import { LIVE } from './queries.ts'

/** All lists of records. */
export const RECORD_LISTS = { queryKey: ['records'] } as const
const RECORD = { queryKey: ['record'] } as const

/** A page of the list; the one before stays until it is there. */
export function recordPageQuery(query: string) {
  return queryOptions({
    queryKey: [...RECORD_LISTS.queryKey, 'page', query],
    queryFn: ({ signal }) => callHubExact<RecordPage>(`/api/v1/records?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

/** The first records that a search finds; none for an empty text. */
export function firstRecordsQuery(text: string, limit: number) {
  return queryOptions({
    queryKey: [...RECORD_LISTS.queryKey, 'first', text, limit],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ q: text, limit: String(limit) })
      return callHub<{ records: RecordSummary[] }>(`/api/v1/records?${query}`, { signal })
    },
    enabled: text !== '',
  })
}

/** A record of the past may not know when it was last changed. */
export type ShownRecord = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

/** A record as it is, or as it was at a moment. */
export function recordQuery(id: string, asOf: string | undefined) {
  return queryOptions({
    queryKey: [...RECORD.queryKey, 'values', id, asOf ?? null],
    queryFn: ({ signal }) =>
      callHubExact<{ record: ShownRecord }>(recordPath(id, asOf), { signal }),
    meta: { live: asOf === undefined },
  })
}

/** Where each value of a record came from. */
export function fieldOriginsQuery(id: string) {
  return queryOptions({
    queryKey: [...RECORD.queryKey, 'fields', id],
    queryFn: ({ signal }) =>
      callHubExact<{ fields: FieldOrigin[] }>(`${recordPath(id)}/fields`, { signal }),
    meta: LIVE,
  })
}

type HistoryPage = { history: HistoryEntry[]; next_cursor: string | null }

export function recordHistoryQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...RECORD.queryKey, 'history', id],
    queryFn: ({ signal, pageParam }) =>
      callHubExact<HistoryPage>(
        `${recordPath(id)}/history${pageParam === '' ? '' : `?cursor=${pageParam}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    meta: LIVE,
  })
}

/** What erasing a record would delete. */
export function erasurePreviewQuery(id: string) {
  return queryOptions({
    queryKey: [...RECORD.queryKey, 'erasure', id],
    queryFn: ({ signal }) =>
      callHub<{ erasure: ErasurePreview }>(`${recordPath(id)}/erasure`, { signal }),
  })
}

export function recordPath(id: string, asOf?: string): string {
  const query = asOf === undefined ? '' : `?${new URLSearchParams({ as_of: asOf })}`
  return `/api/v1/records/${encodeURIComponent(id)}${query}`
}
