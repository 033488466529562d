import type { ActivityEntry, ActivityPage } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { cursorPagesQuery } from './queries.ts'

const ACTIVITY = { queryKey: ['activity'] } as const
const PATH = '/api/v1/activity'

/** A page of the log. While the log is followed, the page is refetched after each change on the hub. */
export function activityPageQuery(query: string, isFollowing: boolean) {
  return queryOptions({
    queryKey: [...ACTIVITY.queryKey, 'page', query],
    queryFn: ({ signal }) => callHub<ActivityPage>(`${PATH}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: isFollowing ? 0 : Number.POSITIVE_INFINITY,
    meta: { live: isFollowing },
  })
}

/** The page that starts with the given entry. */
export function activityEntryQuery(id: number) {
  return queryOptions({
    queryKey: [...ACTIVITY.queryKey, 'entry', id],
    queryFn: ({ signal }) => callHub<ActivityPage>(`${PATH}?limit=1&cursor=${id + 1}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The log of one platform, page by page. */
export function platformActivityQuery(filter: { platform: string; kind?: string; limit?: string }) {
  return cursorPagesQuery<ActivityEntry>([...ACTIVITY.queryKey, 'platform'], {
    path: PATH,
    filter,
    member: 'activity',
  })
}
