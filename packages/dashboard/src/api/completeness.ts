import type { ModuleCompleteness } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { COUNTED, callAllPages, LIVE } from './queries.ts'

type CompletenessPage = { modules: ModuleCompleteness[]; next_cursor: string | null }

export function completenessPageQuery(query: string) {
  return queryOptions({
    queryKey: ['completeness', query],
    queryFn: ({ signal }) => callHub<CompletenessPage>(`/api/v1/completeness?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

/** All modules, for sums. Read again after each snapshot, with which it is shown. */
export function allCompletenessQuery() {
  return queryOptions({
    queryKey: ['completeness', 'all modules'],
    queryFn: ({ signal }) =>
      callAllPages<ModuleCompleteness>('/api/v1/completeness', { member: 'modules', signal }),
    meta: COUNTED,
  })
}
