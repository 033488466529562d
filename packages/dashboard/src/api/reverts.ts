import type { Revert, RevertRoutes, RevertScope } from '@recordhub/protocol'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { UrlChanges } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { getQuery, queriesOf } from './get-query.ts'
import { callAllPages, LIVE } from './queries.ts'

const REVERTS = 'GET /api/v1/reverts'
const HOLDS = 'GET /api/v1/holds'

/** A page of reverts, newest first. */
export function revertPageQuery(query: UrlChanges) {
  return getQuery<RevertRoutes[typeof REVERTS]>(REVERTS, { query, live: true, keepsPrevious: true })
}

/** The last revert of each pull, or of a part of it, that has taken something back and was not taken back itself. */
export function revertsByPullQuery() {
  return queryOptions({
    queryKey: [REVERTS, 'by pull'],
    queryFn: ({ signal }) => callAllPages<Revert>('/api/v1/reverts', { member: 'reverts', signal }),
    select: (reverts) => {
      const byPull = new Map<number, Revert>()
      for (const revert of reverts.toReversed()) {
        const { scope, finished_at, counts, reverted_by } = revert
        if (!('pull_id' in scope) || finished_at === null) continue
        if (counts.reverted > 0 && reverted_by === null) byPull.set(scope.pull_id, revert)
      }
      return byPull
    },
    meta: LIVE,
  })
}

export function revertQuery(id: string) {
  return getQuery<RevertRoutes['GET /api/v1/reverts/:id']>('GET /api/v1/reverts/:id', {
    params: { id },
    live: 'followed',
  })
}

/** The records of a revert with one outcome. */
export function revertRecordsQuery(id: number, query: UrlChanges) {
  return getQuery<RevertRoutes['GET /api/v1/reverts/:id/records']>(
    'GET /api/v1/reverts/:id/records',
    {
      params: { id },
      query,
      live: 'followed',
      keepsPrevious: true,
    },
  )
}

/** Holds, with the number of records and the oldest hold of all that the filters match. */
export function holdsQuery(query: UrlChanges) {
  return getQuery<RevertRoutes[typeof HOLDS]>(HOLDS, { query, live: true, keepsPrevious: true })
}

/** Plans a revert, which changes no record. @throws HubCallError */
export async function planRevert(scope: RevertScope, reason: string): Promise<Revert> {
  const body = { scope, reason }
  const call = { method: 'POST', body } as const
  return (await callHub<RevertRoutes['POST /api/v1/reverts']>('/api/v1/reverts', call)).revert
}

/** Starts, cancels or lifts, and then reads everything again that it may have changed. */
export async function changeReverts(
  client: QueryClient,
  path: string,
  call: { method: 'POST' | 'DELETE'; body?: object },
): Promise<void> {
  try {
    await callHub(path, call)
  } finally {
    await client.invalidateQueries(queriesOf(REVERTS, HOLDS))
  }
}
