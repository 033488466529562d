import type { PushErrorPage } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { LIVE } from './queries.ts'

export function pushErrorPageQuery(query: string) {
  return queryOptions({
    queryKey: ['push errors', query],
    queryFn: ({ signal }) => callHub<PushErrorPage>(`/api/v1/push-errors?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}
