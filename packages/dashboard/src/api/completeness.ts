import type { ModuleCompleteness } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import type { UrlChanges } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'
import { COUNTED, callAllPages } from './queries.ts'

const ROUTE = 'GET /api/v1/completeness'

type CompletenessPage = { modules: ModuleCompleteness[]; next_cursor: string | null }

export function completenessPageQuery(query: UrlChanges) {
  return getQuery<CompletenessPage>(ROUTE, { query, live: true, keepsPrevious: true })
}

/** All modules, for sums. Read again after each snapshot, with which it is shown. */
export function allCompletenessQuery() {
  return queryOptions({
    queryKey: [ROUTE, 'all modules'],
    queryFn: ({ signal }) =>
      callAllPages<ModuleCompleteness>('/api/v1/completeness', { member: 'modules', signal }),
    meta: COUNTED,
  })
}
