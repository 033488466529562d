import type { MissingReview } from '@recordhub/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { COUNTED, LIVE } from './queries.ts'

/** Matches all lists of reviews. */
export const MISSING_REVIEWS = { queryKey: ['missing reviews'] } as const

type MissingReviewPage = { missing_reviews: MissingReview[]; next_cursor: string | null }

export function missingReviewQuery(id: string) {
  return queryOptions({
    queryKey: [...MISSING_REVIEWS.queryKey, 'one', id],
    queryFn: ({ signal }) =>
      callHub<{ missing_review: MissingReview }>(
        `/api/v1/missing-reviews/${encodeURIComponent(id)}`,
        {
          signal,
        },
      ),
    meta: LIVE,
  })
}

/** @param pullEnd when the pull ended whose page shows the reviews: they are read again at its end. */
export function missingReviewPageQuery(query: string, pullEnd: string | null = null) {
  return queryOptions({
    queryKey: [...MISSING_REVIEWS.queryKey, query, pullEnd],
    queryFn: ({ signal }) =>
      callHub<MissingReviewPage>(`/api/v1/missing-reviews?${query}`, { signal }),
    placeholderData: keepPreviousData,
    meta: COUNTED,
  })
}
