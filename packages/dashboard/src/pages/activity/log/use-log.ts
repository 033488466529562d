import type { ActivityEntry } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { activityEntryQuery, activityPageQuery } from '../../../api/activity.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import type { UrlState } from '../../../lib/url-state.ts'

const PAGE = 50
export const LOG_FILTERS = ['q', 'platform', 'level', 'kind', 'since', 'until'] as const
const PARAMETERS = [...LOG_FILTERS, 'record', 'cursor']

/** A page of the log. While the log is followed, the page is refetched after each change. */
export function useLog(state: UrlState, isFollowing: boolean) {
  const query = toQueryString(state, PARAMETERS, { limit: PAGE })
  const log = useQuery(activityPageQuery(query, isFollowing))
  const { refetch } = log
  useEffect(() => {
    if (isFollowing) void refetch({ cancelRefetch: false })
  }, [isFollowing, refetch])
  return log
}

/** One log entry, which may not be on the current page if a link refers to it. */
export function useLogEntry(id: number | null, shown: ActivityEntry[]) {
  const shownEntry = shown.find((entry) => entry.id === id)
  const { data, error } = useQuery({
    ...activityEntryQuery(id ?? 0),
    enabled: id !== null && !shownEntry,
  })
  const fetchedEntry = data?.activity.find((entry) => entry.id === id)
  return {
    entry: shownEntry ?? fetchedEntry ?? null,
    isMissing: data !== undefined && !fetchedEntry,
    error,
  }
}
