import type { ActivityLine, ActivityPage } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { cursorPagesQuery } from './queries.ts'

const ACTIVITY = { queryKey: ['activity'] } as const
const PATH = '/api/v1/activity'

/** A page of the log; while the log is followed, the page is read again when something has changed. */
export function activityPageQuery(query: string, isFollowing: boolean) {
  return queryOptions({
    queryKey: [...ACTIVITY.queryKey, 'page', query],
    queryFn: ({ signal }) => callHub<ActivityPage>(`${PATH}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: isFollowing ? 0 : Number.POSITIVE_INFINITY,
    meta: { live: isFollowing },
  })
}

/** The page that begins with one line. */
export function activityLineQuery(id: number) {
  return queryOptions({
    queryKey: [...ACTIVITY.queryKey, 'line', id],
    queryFn: ({ signal }) => callHub<ActivityPage>(`${PATH}?limit=1&cursor=${id + 1}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The log of one platform, page by page. */
export function platformActivityQuery(filter: { platform: string; kind?: string; limit?: string }) {
  return cursorPagesQuery<ActivityLine>([...ACTIVITY.queryKey, 'platform'], {
    path: PATH,
    filter,
    member: 'activity',
  })
}
