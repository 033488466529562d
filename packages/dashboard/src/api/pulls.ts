import type { Pull, PullTask } from '@recordhub/protocol'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { pickState, type UrlState, writeUrlState } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { FOLLOWED, LIVE } from './queries.ts'

const PULLS = { queryKey: ['pulls'] } as const

type PullPage = { pulls: Pull[]; next_cursor: string | null }

/** Enough for some hours of a pull per minute, of which most fold. */
const PAGE = '240'

/** The parameters of the URL by which the hub filters pulls. */
export const PULL_FILTERS = ['platform', 'trigger', 'since', 'until'] as const

/** A page of the pulls that the parameters select, newest first. */
export function pullPageQuery(state: UrlState) {
  const query = writeUrlState({ ...pickState(state, [...PULL_FILTERS, 'cursor']), limit: PAGE })
  return queryOptions({
    queryKey: [...PULLS.queryKey, 'page', query],
    queryFn: ({ signal }) => callHub<PullPage>(`/api/v1/pulls${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

type PullDetails = { pull: Pull; tasks: PullTask[]; next_cursor: string | null }
export type TaskPage = { cursor: string; state?: string; limit: number }

/** One pull with a page of its tasks. */
export function pullQuery(id: number | null, { cursor, state = '', limit }: TaskPage) {
  return queryOptions({
    queryKey: [...allPagesOf(id).queryKey, cursor, state, limit],
    queryFn: ({ signal }) => {
      const page = writeUrlState({ cursor, state, limit: String(limit) })
      return callHub<PullDetails>(`/api/v1/pulls/${id}${page}`, { signal })
    },
    enabled: id !== null,
    placeholderData: keepPreviousData,
    meta: FOLLOWED,
  })
}

/** Shows the returned pull at once, if there is one, and refetches the pull. */
export async function refreshPull(
  client: QueryClient,
  id: number,
  returned: Pull | null,
): Promise<void> {
  if (returned) {
    client.setQueriesData<PullDetails>(
      allPagesOf(id),
      (cached) => cached && { ...cached, pull: returned },
    )
  }
  await client.invalidateQueries(allPagesOf(id))
}

/** Refetches the list of pulls. */
export function refreshPullList(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [...PULLS.queryKey, 'page'] })
}

function allPagesOf(id: number | null) {
  return { queryKey: [...PULLS.queryKey, 'pull', id] } as const
}
