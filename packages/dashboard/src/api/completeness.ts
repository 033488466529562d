import type { ModuleCompleteness } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { COUNTED, LIVE } from './queries.ts'

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
    async queryFn({ signal }) {
      const all: ModuleCompleteness[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const after: string = cursor === '' ? '' : `?cursor=${cursor}`
        const page: CompletenessPage = await callHub(`/api/v1/completeness${after}`, { signal })
        all.push(...page.modules)
        cursor = page.next_cursor
      }
      return all
    },
    meta: COUNTED,
  })
}
