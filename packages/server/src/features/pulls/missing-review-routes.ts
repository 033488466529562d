import {
  type MissingReview,
  MissingReviewPage,
  MissingReviewResponse,
  MissingReviewState,
  RequestText,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import type { Requester } from '../../domain/activity/activity.ts'
import { found, HubError } from '../../errors.ts'
import { Cursor, route } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50

type ReviewDeps = Pick<FeatureDeps, 'missing' | 'clock'>

/** Reviews of many missing records at once, and the decisions about them. */
export function missingReviewRoutes(deps: ReviewDeps) {
  const { missing } = deps
  return [
    route('GET /api/v1/missing-reviews', {
      summary: 'List reviews of missing records, newest first',
      query: {
        state: Type.Optional(MissingReviewState),
        platform: Type.Optional(RequestText({ description: 'The platform_name' })),
        record_type: Type.Optional(RequestText()),
        cursor: Cursor,
      },
      response: MissingReviewPage.properties,
      async handle({ query: { state = null, cursor: before = null, ...of } }) {
        const rows = await missing.listReviews({ state, ...of, limit: PAGE + 1, before })
        const { page, next_cursor } = paginate(rows, PAGE, ({ id }) => id)
        return { missing_reviews: page, next_cursor }
      },
    }),

    route('GET /api/v1/missing-reviews/:id', {
      summary: 'Read a review of missing records',
      description:
        'Its records: `GET /api/v1/records?missing_review=<id>`; as a file: `GET /api/v1/records/export?missing_review=<id>&format=csv`.',
      response: MissingReviewResponse.properties,
      handle: async ({ params: { id } }) => ({
        missing_review: found('review', await missing.readReview(id)),
      }),
    }),

    route('POST /api/v1/missing-reviews/:id/approve', {
      summary: 'Let the next complete pull mark the missing records',
      response: MissingReviewResponse.properties,
      handle: async ({ params: { id }, requester }) => ({
        missing_review: await decideMissingReview(deps, id, 'approved', requester),
      }),
    }),

    route('POST /api/v1/missing-reviews/:id/dismiss', {
      summary: 'Leave the records unmarked as long as the same ones are missing',
      response: MissingReviewResponse.properties,
      handle: async ({ params: { id }, requester }) => ({
        missing_review: await decideMissingReview(deps, id, 'dismissed', requester),
      }),
    }),
  ]
}

const DECISION_EFFECTS = {
  approved: 'The next complete pull marks those that are still missing.',
  dismissed: 'They are not marked as long as the same records are missing.',
} as const

/**
 * Records the decision of an operator about a review of missing records. The decision may change until the review is
 * closed.
 * @throws HubError `not_found`, or `missing_review_closed`.
 */
async function decideMissingReview(
  { missing: reviews, clock }: ReviewDeps,
  review_id: number,
  state: keyof typeof DECISION_EFFECTS,
  requester: Requester,
): Promise<MissingReview> {
  const open = found('review', await reviews.readReview(review_id))
  const { missing, records, module_name, platform_name, record_type } = open
  const details = { missing_review_id: review_id, record_type, missing, records }
  const decided = await reviews.decideReview(
    { review_id, state, by: requester.actor, at: clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `missing.${state}`,
        message: `The review of ${missing} missing records of ${records} of ${module_name} of ${platform_name} was ${state}. ${DECISION_EFFECTS[state]}`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: `missing_review.${state}`, target: platform_name, details },
    },
  )
  const review = found('review', decided)
  if (review.closed_at !== null) {
    throw new HubError('missing_review_closed', { state: review.state })
  }
  return review
}
