import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  type MissingReview,
  MissingReviewPage,
  MissingReviewResponse,
  MissingReviewState,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { MissingStore } from '../../storage/port/missing-store.ts'

const ReviewId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const PAGE = 50
const DECISIONS = [
  ['approve', 'approved', 'Let the next complete pull mark the missing records'],
  ['dismiss', 'dismissed', 'Leave the records unmarked as long as the same ones are missing'],
] as const

/** Reviews of many missing records at once, and the decisions about them. */
export function missingReviewRoutes(deps: {
  missing: MissingStore
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/missing-reviews',
      {
        schema: {
          summary: 'List reviews of missing records, newest first',
          querystring: Type.Object(
            {
              state: Type.Optional(MissingReviewState),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: MissingReviewPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { state = null, cursor = null } = request.query
        const found = await deps.missing.listReviews({ state, limit: PAGE + 1, before: cursor })
        const { page, next_cursor } = paginate(found, PAGE, ({ id }) => id)
        return { success: true as const, missing_reviews: page, next_cursor }
      },
    )

    app.get(
      '/api/v1/missing-reviews/:id',
      {
        schema: {
          summary: 'Read a review of missing records',
          description:
            'Its records: `GET /api/v1/records?missing_review=<id>`; as a file: `GET /api/v1/records/export?missing_review=<id>&format=csv`.',
          params: ReviewId,
          response: { 200: MissingReviewResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const missing_review = await deps.missing.readReview(request.params.id)
        if (!missing_review) throw new HubError('not_found', { what: 'review' })
        return { success: true as const, missing_review }
      },
    )

    for (const [verb, state, summary] of DECISIONS) {
      app.post(
        `/api/v1/missing-reviews/:id/${verb}`,
        {
          schema: {
            summary,
            params: ReviewId,
            response: { 200: MissingReviewResponse, '4xx': ErrorResponse },
          },
        },
        async (request) => {
          const decision = { review_id: request.params.id, state }
          const requester = deps.requesterOf(request)
          const missing_review = await decideMissingReview(deps, decision, requester)
          return { success: true as const, missing_review }
        },
      )
    }
  }
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
  deps: { missing: Pick<MissingStore, 'readReview' | 'decideReview'>; clock: Clock },
  decision: { review_id: number; state: keyof typeof DECISION_EFFECTS },
  requester: Requester,
): Promise<MissingReview> {
  const { review_id, state } = decision
  const open = await deps.missing.readReview(review_id)
  if (!open) throw new HubError('not_found', { what: 'review' })
  const { missing, records, module_name, platform_name, record_type } = open
  const details = { missing_review_id: review_id, record_type, missing, records }
  const review = await deps.missing.decideReview(
    { ...decision, by: requester.actor, at: deps.clock.now().toISOString() },
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
  if (!review) throw new HubError('not_found', { what: 'review' })
  if (review.closed_at !== null) {
    throw new HubError('missing_review_closed', { state: review.state })
  }
  return review
}
