import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorAnswer,
  MissingReviewAnswer,
  MissingReviewPage,
  MissingReviewState,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { MissingStore } from '../../storage/port/missing-store.ts'
import { answerMissingReview } from './answer-missing-review.ts'

const ReviewId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const PAGE = 50
const ANSWERS = [
  ['approve', 'approved', 'Let the next complete read mark the records that are gone'],
  ['dismiss', 'dismissed', 'Leave the records as they are while the same ones are gone'],
] as const

/** Questions about many records that are gone at once, and their answers. */
export function missingReviewRoutes(parts: {
  missing: MissingStore
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/missing-reviews',
      {
        schema: {
          summary: 'List questions about missing records, newest first',
          querystring: Type.Object(
            {
              state: Type.Optional(MissingReviewState),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: MissingReviewPage, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { state = null, cursor = null } = request.query
        const found = await parts.missing.listReviews({ state, limit: PAGE + 1, before: cursor })
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
          response: { 200: MissingReviewAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const missing_review = await parts.missing.readReview(request.params.id)
        if (!missing_review) throw new HubError('not_found', { what: 'review' })
        return { success: true as const, missing_review }
      },
    )

    for (const [verb, state, summary] of ANSWERS) {
      app.post(
        `/api/v1/missing-reviews/:id/${verb}`,
        {
          schema: {
            summary,
            params: ReviewId,
            response: { 200: MissingReviewAnswer, '4xx': ErrorAnswer },
          },
        },
        async (request) => {
          const answer = { review_id: request.params.id, state }
          const missing_review = await answerMissingReview(
            parts,
            answer,
            parts.requesterOf(request),
          )
          return { success: true as const, missing_review }
        },
      )
    }
  }
}
