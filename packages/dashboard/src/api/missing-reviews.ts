import type { MissingReview } from '@recordhub/protocol'
import type { UrlChanges } from '../lib/url-state.ts'
import { getQuery } from './get-query.ts'

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
