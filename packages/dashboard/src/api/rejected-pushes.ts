import type {
  RejectedPush,
  RepairableGroup,
  RepairChange,
  RepairPreview,
  RepairStep,
} from '@recordhub/protocol'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { writeLossless } from '../lib/lossless-json.ts'
import { callHub } from './call-hub.ts'
import { callHubLossless } from './call-hub-lossless.ts'
import { queriesOf } from './get-query.ts'
import { LIVE } from './queries.ts'

/** Matches all queries of rejected pushes. */
const REJECTED_PUSHES = { queryKey: ['rejected pushes'] } as const
const PATH = '/api/v1/rejected-pushes'

type RejectedPushPage = { rejected_pushes: RejectedPush[]; next_cursor: string | null }

/** @param pullEnd when the pull ended whose page shows them: they are read again at its end. */
export function rejectedPushPageQuery(query: string, pullEnd: string | null = null) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'page', query, pullEnd],
    queryFn: ({ signal }) => callHubLossless<RejectedPushPage>(`${PATH}?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

/** Rejected pushes grouped by cause. */
export function rejectedPushGroupsQuery(query: string) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'groups', query],
    queryFn: ({ signal }) =>
      callHub<{ groups: RepairableGroup[] }>(`${PATH}/groups?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: LIVE,
  })
}

export function rejectedPushQuery(id: string) {
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'details', id],
    queryFn: ({ signal }) =>
      callHubLossless<{ rejected_push: RejectedPush }>(`${PATH}/${id}`, { signal }),
  })
}

/** The same changes to all rejected pushes of a group. */
export type Repair = { platform: string; cause: string; changes: readonly RepairChange[] }

/**
 * What a repair would do. Nothing is written.
 * @param count the size of the group: it is tested again when more are rejected.
 */
export function repairPreviewQuery(repair: Repair, count: number) {
  const json = writeLossless(repair, '')
  return queryOptions({
    queryKey: [...REJECTED_PUSHES.queryKey, 'preview', json, count],
    queryFn: ({ signal }) =>
      callHubLossless<RepairPreview>(`${PATH}/repair/preview`, { method: 'POST', json, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Replays the next pushes of a preview. @throws HubCallError */
export function applyRepair(
  repair: Repair,
  { until, cursor }: { until: string; cursor: string | null },
): Promise<RepairStep> {
  const json = writeLossless({ ...repair, until, ...(cursor === null ? {} : { cursor }) }, '')
  return callHub(`${PATH}/repair`, { method: 'POST', json })
}

/** Reads the rejected pushes and the inbox again, after an action. */
export function useRefreshRejected(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries(REJECTED_PUSHES)
    await client.invalidateQueries(queriesOf('GET /api/v1/inbox'))
  }
}
