import type { FieldOrigin, HistoryEntry, StoredRecord } from '@recordhub/protocol'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { callHubExact } from '../../../api/call-hub.ts'

/** A record of the past may not know when it was last changed. */
export type ShownRecord = Omit<StoredRecord, 'updated_at'> & { updated_at: string | null }

/** A record as it is, or as it was at a moment. */
export function useRecord(id: string, asOf: string | undefined) {
  return useQuery({
    queryKey: ['record', id, asOf ?? null],
    queryFn: ({ signal }) =>
      callHubExact<{ record: ShownRecord }>(addressOfRecord(id, asOf), { signal }),
    meta: { live: asOf === undefined },
  })
}

export function useOrigins(id: string, isWanted: boolean) {
  return useQuery({
    queryKey: ['record', id, 'fields'],
    queryFn: ({ signal }) =>
      callHubExact<{ fields: FieldOrigin[] }>(`${addressOfRecord(id)}/fields`, { signal }),
    enabled: isWanted,
    meta: { live: true },
  })
}

type HistoryPage = { history: HistoryEntry[]; next_cursor: string | null }

export function useHistory(id: string) {
  return useInfiniteQuery({
    queryKey: ['record', id, 'history'],
    queryFn: ({ signal, pageParam }) =>
      callHubExact<HistoryPage>(
        `${addressOfRecord(id)}/history${pageParam === '' ? '' : `?cursor=${pageParam}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    meta: { live: true },
  })
}

export function addressOfRecord(id: string, asOf?: string): string {
  const query = asOf === undefined ? '' : `?${new URLSearchParams({ as_of: asOf })}`
  return `/api/v1/records/${encodeURIComponent(id)}${query}`
}
