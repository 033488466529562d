import type { ActivityEntry, ActivityPage } from '@recordhub/protocol'
import type { UrlChanges } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'
import { cursorPagesQuery } from './queries.ts'

const ROUTE = 'GET /api/v1/activity'

/** A page of the log. While the log is followed, the page is refetched after each change on the hub. */
export function activityPageQuery(query: UrlChanges, isFollowing: boolean) {
  return {
    ...getQuery<ActivityPage>(ROUTE, { query, keepsPrevious: true }),
    staleTime: isFollowing ? 0 : Number.POSITIVE_INFINITY,
    meta: { live: isFollowing },
  }
}

/** The page that starts with the given entry. */
export function activityEntryQuery(id: number) {
  return {
    ...getQuery<ActivityPage>(ROUTE, { query: { limit: '1', cursor: String(id + 1) } }),
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** The log of one platform, page by page. */
export function platformActivityQuery(filter: { platform: string; kind?: string; limit?: string }) {
  return cursorPagesQuery<ActivityEntry>([ROUTE, 'platform'], {
    path: '/api/v1/activity',
    filter,
    member: 'activity',
  })
}
