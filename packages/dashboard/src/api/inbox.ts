/** What waits for an operator: the items of the snapshot that the page polls anyway, and their one count. */
import type { AlertPage, InboxItem, MissingReview, PushErrorPage } from '@recordhub/protocol'
import { useStore } from '../lib/store.ts'
import type { UrlChanges } from '../lib/url-state.ts'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'
import { hideInboxItem, snapshot } from './live.ts'

/** The number of open items, for the navigation and the titles of the tabs. */
export function useInboxCount(): number {
  return useStore(snapshot)?.inbox.open ?? 0
}

/**
 * Acknowledges an item until its fault changes, or snoozes it until a time.
 * @returns shows it again where the snapshot had it.
 * @throws HubCallError
 */
export async function putAside(item: InboxItem, until: Date | null): Promise<() => void> {
  const body = { key: item.key, ...(until ? { until: until.toISOString() } : {}) }
  await callHub('/api/v1/inbox/put-aside', { method: 'POST', body })
  return hideInboxItem(item)
}

export function alertPageQuery(query: UrlChanges) {
  return getQuery<AlertPage>('GET /api/v1/alerts', { query, live: 'counted', keepsPrevious: true })
}

export function pushErrorPageQuery(query: UrlChanges) {
  return getQuery<PushErrorPage>('GET /api/v1/push-errors', {
    ...{ query, live: true, keepsPrevious: true },
  })
}

const ROUTE = 'GET /api/v1/missing-reviews'

type MissingReviewPage = { missing_reviews: MissingReview[]; next_cursor: string | null }

export function missingReviewQuery(id: string) {
  return getQuery<{ missing_review: MissingReview }>(`${ROUTE}/:id`, { params: { id }, live: true })
}

/** @param version for a list of one pull: they are read again when the pull ends. */
export function missingReviewPageQuery(query: UrlChanges, version: string | null = null) {
  const options = { query, version, live: 'counted', keepsPrevious: true } as const
  return getQuery<MissingReviewPage>(ROUTE, options)
}
