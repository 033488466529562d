import type { ActivityLine } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { activityLineQuery, activityPageQuery } from '../../../api/activity.ts'
import { queryText } from '../../../lib/query-text.ts'
import type { UrlState } from '../../../lib/url-state.ts'

const PAGE = 50
export const LOG_FILTERS = ['q', 'platform', 'level', 'kind', 'since', 'until'] as const
const PARAMETERS = [...LOG_FILTERS, 'record', 'cursor']

/** A page of the log; while it is followed it is asked for again when something has changed. */
export function useLog(state: UrlState, isFollowing: boolean) {
  const query = queryText(state, PARAMETERS, { limit: PAGE })
  const log = useQuery(activityPageQuery(query, isFollowing))
  const { refetch } = log
  useEffect(() => {
    if (isFollowing) void refetch({ cancelRefetch: false })
  }, [isFollowing, refetch])
  return log
}

/** One line, which a link may name though it is not on the page. */
export function useLine(id: number | null, shown: ActivityLine[]) {
  const found = shown.find((line) => line.id === id)
  const { data, error } = useQuery({
    ...activityLineQuery(id ?? 0),
    enabled: id !== null && !found,
  })
  const asked = data?.activity.find((line) => line.id === id)
  return { line: found ?? asked ?? null, isGone: data !== undefined && !asked, error }
}
