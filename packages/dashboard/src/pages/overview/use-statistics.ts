import type { Statistics } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'

/** What came in each of the last 24 hours. */
export function useStatistics() {
  return useQuery({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => callHub<Statistics>('/api/v1/statistics?hours=24', { signal }),
    meta: { live: true },
  })
}
