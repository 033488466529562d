/** What the pages of records ask the hub for. */
import type { Platform, RecordPage, SavedView } from '@recordhub/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { callHub, callHubExact } from '../../api/call-hub.ts'
import type { UrlState } from '../../lib/url-state.ts'
import type { Place } from './columns.ts'
import { listQueryOf } from './list-query.ts'

const BUILDING_MS = 2000

export function usePlatforms() {
  return useQuery({
    queryKey: ['platforms'],
    queryFn: ({ signal }) => callHub<{ platforms: Platform[] }>('/api/v1/platforms', { signal }),
    meta: { live: true },
  })
}

/** The page of the list that the URL stands for; the one before stays until it is there. */
export function useRecordPage(state: UrlState) {
  const query = listQueryOf(state)
  return useQuery({
    queryKey: ['records', 'page', query],
    queryFn: ({ signal }) => callHubExact<RecordPage>(`/api/v1/records?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
}

export type IndexedField = { key: string; is_built: boolean }

export function indexedFieldsAddress({ platform, module }: Place): string {
  return `/api/v1/platforms/${platform.id}/modules/${encodeURIComponent(module.record_type)}/indexed-fields`
}

/** The fields of a module that lists go by fast; asked again while an index is being built. */
export function useIndexedFields(place: Place | null) {
  return useQuery({
    queryKey: ['indexed fields', place?.platform.id, place?.module.record_type],
    queryFn: ({ signal }) =>
      callHub<{ fields: IndexedField[] }>(place ? indexedFieldsAddress(place) : '', { signal }),
    enabled: place !== null,
    refetchInterval: ({ state }) =>
      state.data?.fields.some((field) => !field.is_built) ? BUILDING_MS : false,
  })
}

export function useViews() {
  return useQuery({
    queryKey: ['views'],
    queryFn: ({ signal }) => callHub<{ views: SavedView[] }>('/api/v1/views', { signal }),
  })
}
