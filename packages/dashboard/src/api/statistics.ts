import type { PlatformPulls, Statistics } from '@recordhub/protocol'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { LIVE } from './queries.ts'

const STATISTICS = { queryKey: ['statistics'] } as const

/** What the hub received in each of the last 24 hours. */
export function useStatistics() {
  return useQuery({
    queryKey: [...STATISTICS.queryKey, 'hours'],
    queryFn: ({ signal }) => callHub<Statistics>('/api/v1/statistics?hours=24', { signal }),
    meta: LIVE,
  })
}

/** The last pulls of each of these platforms. */
export function latestPullsQuery(platformIds: readonly number[]) {
  const ids = platformIds.join(',')
  return queryOptions({
    queryKey: [...STATISTICS.queryKey, 'pulls', ids],
    queryFn: ({ signal }) =>
      callHub<PlatformPulls>(`/api/v1/statistics/pulls?platforms=${ids}`, { signal }),
    enabled: ids !== '',
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}
