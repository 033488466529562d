import type {
  RejectedPush,
  RepairableGroup,
  RepairChange,
  RepairPreview,
  RepairStep,
} from '@recordhub/protocol'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { writeLossless } from '../lib/lossless-json.ts'
import type { UrlChanges } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { callHubLossless } from './call-hub-lossless.ts'
import { getQuery, queriesOf } from './get-query.ts'

const ROUTE = 'GET /api/v1/rejected-pushes'
const PATH = '/api/v1/rejected-pushes'

type RejectedPushPage = { rejected_pushes: RejectedPush[]; next_cursor: string | null }

/** @param version for a list of one pull: they are read again when the pull ends. */
export function rejectedPushPageQuery(query: UrlChanges, version: string | null = null) {
  const options = { query, version, live: true, keepsPrevious: true, lossless: true } as const
  return getQuery<RejectedPushPage>(ROUTE, options)
}

/** Rejected pushes grouped by cause. */
export function rejectedPushGroupsQuery(query: UrlChanges) {
  const options = { query, live: true, keepsPrevious: true } as const
  return getQuery<{ groups: RepairableGroup[] }>(`${ROUTE}/groups`, options)
}

export function rejectedPushQuery(id: number) {
  const options = { params: { id }, lossless: true }
  return getQuery<{ rejected_push: RejectedPush }>(`${ROUTE}/:id`, options)
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
    queryKey: [`${ROUTE}/repair/preview`, json, count],
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

/** Reads the rejected pushes, the inbox and the completeness again, after an action. */
export function useRefreshRejected(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries(
      queriesOf(ROUTE, 'GET /api/v1/inbox', 'GET /api/v1/completeness'),
    )
  }
}
