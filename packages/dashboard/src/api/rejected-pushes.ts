import type { RejectedPush, RejectedPushGroup } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { callHubLossless } from './call-hub-lossless.ts'
import { LIVE } from './queries.ts'

/** Matches all queries of rejected pushes. */
export const REJECTED_PUSHES = { queryKey: ['rejected pushes'] } as const
const PATH = '/api/v1/rejected-pushes'

type RejectedPushPage = { rejected_pushes: RejectedPush[]; next_cursor: string | null }

/** @param pullEnd when the pull ended whose page shows them: they are read again at its end. */
export function rejectedPushPageQuery(query: string, pullEnd: string | null = null) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'page', query, pullEnd],
    queryFn: ({ signal }) => callHubLossless<RejectedPushPage>(`${PATH}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

/** Rejected pushes grouped by cause. */
export function rejectedPushGroupsQuery(query: string) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'groups', query],
    queryFn: ({ signal }) =>
      callHub<{ groups: RejectedPushGroup[] }>(`${PATH}/groups?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

export function rejectedPushQuery(id: string) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'details', id],
    queryFn: ({ signal }) =>
      callHubLossless<{ rejected_push: RejectedPush }>(`${PATH}/${id}`, { signal }),
  })
}
