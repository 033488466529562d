import type { RejectedPushGroup } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  REJECTED_PUSHES,
  rejectedPushGroupsQuery,
  rejectedPushPageQuery,
} from '../../../api/rejected-pushes.ts'
import { queryText } from '../../../lib/query-text.ts'
import type { UrlState } from '../../../lib/url-state.ts'

const PAGE = 50
/** What a replay and a dismissal of many go by, too. */
export const MEANT = ['platform', 'record_type', 'code', 'cause'] as const
export const REJECTED_FILTERS = [...MEANT, 'state', 'pull'] as const

/** Those that wait, unless `state` says otherwise. */
export function useRejected(state: UrlState) {
  const { state: shown = 'open' } = state
  const names = [...MEANT, 'pull', 'cursor']
  const added = { limit: PAGE, ...(shown === 'all' ? {} : { state: shown }) }
  const query = queryText(state, names, added)
  return useQuery(rejectedPushPageQuery(query))
}

export function useCauses(state: UrlState) {
  const query = queryText(state, ['platform'])
  return useQuery(rejectedPushGroupsQuery(query))
}

/** Has all that was read of rejected pushes read again. */
export function useRereadRejected(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries(REJECTED_PUSHES)
}

/** Whether a group is among what the filters mean. */
export function isMeant(state: UrlState, group: RejectedPushGroup): boolean {
  const { platform_name: platform, record_type, code, cause } = group
  const of: Record<string, string | null> = { platform, record_type, code, cause }
  return MEANT.every((name) => !state[name] || state[name] === of[name])
}
