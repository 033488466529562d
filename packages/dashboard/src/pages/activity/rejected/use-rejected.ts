import type { RejectedPush, RejectedPushGroup } from '@recordhub/protocol'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub, callHubExact } from '../../../api/call-hub.ts'
import { queryText } from '../../../lib/query-text.ts'
import type { UrlState } from '../../../lib/url-state.ts'

const PAGE = 50
/** What a replay and a dismissal of many go by, too. */
export const MEANT = ['platform', 'record_type', 'code', 'cause'] as const
export const REJECTED_FILTERS = [...MEANT, 'state', 'pull'] as const

type Page = { rejected_pushes: RejectedPush[]; next_cursor: string | null }

/** Those that wait, unless `state` says otherwise. */
export function useRejected(state: UrlState) {
  const { state: shown = 'open' } = state
  const names = [...MEANT, 'pull', 'cursor']
  const added = { limit: PAGE, ...(shown === 'all' ? {} : { state: shown }) }
  const query = queryText(state, names, added)
  return useQuery({
    queryKey: ['rejected', 'list', query],
    queryFn: ({ signal }) => callHubExact<Page>(`/api/v1/rejected-pushes?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
}

export function useCauses(state: UrlState) {
  const query = queryText(state, ['platform'])
  return useQuery({
    queryKey: ['rejected', 'groups', query],
    queryFn: ({ signal }) =>
      callHub<{ groups: RejectedPushGroup[] }>(`/api/v1/rejected-pushes/groups?${query}`, {
        signal,
      }),
    placeholderData: keepPreviousData,
    meta: { live: true },
  })
}

export function useOneRejected(id: string) {
  return useQuery({
    queryKey: ['rejected', 'one', id],
    queryFn: ({ signal }) =>
      callHubExact<{ rejected_push: RejectedPush }>(`/api/v1/rejected-pushes/${id}`, { signal }),
  })
}

/** Has all that was read of rejected pushes read again. */
export function useRereadRejected(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['rejected'] })
}

/** Whether a group is among what the filters mean. */
export function isMeant(state: UrlState, group: RejectedPushGroup): boolean {
  const { platform_name: platform, record_type, code, cause } = group
  const of: Record<string, string | null> = { platform, record_type, code, cause }
  return MEANT.every((name) => !state[name] || state[name] === of[name])
}
