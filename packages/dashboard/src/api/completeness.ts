import type { ModuleCompleteness } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { LIVE } from './queries.ts'

type CompletenessPage = { modules: ModuleCompleteness[]; next_cursor: string | null }

export function completenessPageQuery(query: string) {
  return queryOptions({
    queryKey: ['completeness', query],
    queryFn: ({ signal }) => callHub<CompletenessPage>(`/api/v1/completeness?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}
