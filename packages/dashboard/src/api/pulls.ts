import type { Pull, PullOutcome, PullTask } from '@recordhub/protocol'
import type { QueryClient } from '@tanstack/react-query'
import { pickState, type UrlState } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'

const PULLS = 'GET /api/v1/pulls'
const PULL = 'GET /api/v1/pulls/:id'

type PullPage = { pulls: Pull[]; next_cursor: string | null }

/** Enough for some hours of a pull per minute, of which most fold. */
const PAGE = '240'

/** The parameters of the URL by which the hub filters pulls. */
export const PULL_FILTERS = ['platform', 'trigger', 'since', 'until'] as const

/** A page of the pulls that the parameters select, newest first. */
export function pullPageQuery(state: UrlState, outcome: PullOutcome | null) {
  const filters = pickState(state, [...PULL_FILTERS, 'cursor'])
  const query = { ...filters, outcome, limit: PAGE }
  return getQuery<PullPage>(PULLS, { query, live: true, keepsPrevious: true })
}

type PullDetails = { pull: Pull; tasks: PullTask[]; next_cursor: string | null }
export type TaskPage = { cursor: string; state?: string; limit: number }

/** One pull with a page of its tasks. */
export function pullQuery(id: number | null, { cursor, state = '', limit }: TaskPage) {
  const query = { cursor, state, limit: String(limit) }
  const options = { params: { id: id ?? 0 }, query, live: 'followed', keepsPrevious: true } as const
  return { ...getQuery<PullDetails>(PULL, options), enabled: id !== null }
}

/** Shows the returned pull at once, if there is one, and refetches the pull. */
export async function refreshPull(
  client: QueryClient,
  id: number,
  returned: Pull | null,
): Promise<void> {
  const allPages = { queryKey: [PULL, { id }] }
  if (returned) {
    client.setQueriesData<PullDetails>(
      allPages,
      (cached) => cached && { ...cached, pull: returned },
    )
  }
  await client.invalidateQueries(allPages)
}

/** Refetches the list of pulls. */
export function refreshPullList(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [PULLS] })
}
