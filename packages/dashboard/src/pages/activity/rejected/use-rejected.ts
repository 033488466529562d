import type { RejectedPushGroup } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { rejectedPushGroupsQuery, rejectedPushPageQuery } from '../../../api/rejected-pushes.ts'
import { toQueryString } from '../../../lib/query-string.ts'
import type { UrlState } from '../../../lib/url-state.ts'

const PAGE = 50
/** The filters that a bulk dismissal supports. */
export const BULK_FILTERS = ['platform', 'record_type', 'code', 'cause'] as const
export const REJECTED_FILTERS = [...BULK_FILTERS, 'state', 'pull', 'request_id'] as const

/** The displayed state by default: open ones, but one that is found by its request in any state. */
export function defaultState({ request_id }: UrlState): string {
  return request_id ? 'all' : 'open'
}

/** Rejected pushes that match the filters. */
export function useRejected(state: UrlState) {
  const shown = state['state'] ?? defaultState(state)
  const names = [...BULK_FILTERS, 'pull', 'request_id', 'cursor']
  const added = { limit: PAGE, ...(shown === 'all' ? {} : { state: shown }) }
  const query = toQueryString(state, names, added)
  return useQuery(rejectedPushPageQuery(query))
}

export function useCauses(state: UrlState) {
  const query = toQueryString(state, ['platform'])
  return useQuery(rejectedPushGroupsQuery(query))
}

/** Whether a group matches the filters. */
export function matchesFilters(state: UrlState, group: RejectedPushGroup): boolean {
  const { platform_name: platform, record_type, code, cause } = group
  const of: Record<string, string | null> = { platform, record_type, code, cause }
  return BULK_FILTERS.every((name) => !state[name] || state[name] === of[name])
}
