import type { AlertPage } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { COUNTED } from './queries.ts'

/** Matches all lists of alerts. */
export const ALERTS = { queryKey: ['alerts'] } as const

export function alertPageQuery(query: string) {
  return queryOptions({
    queryKey: [...ALERTS.queryKey, query],
    queryFn: ({ signal }) => callHub<AlertPage>(`/api/v1/alerts?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: COUNTED,
  })
}
