import Type, { type Static } from 'typebox'
import { NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/**
 * `pending` waits for an answer, `approved` for the next complete read; both and `dismissed` are open.
 * `marked` was done as approved, `settled` needed no answer any more, `superseded` gave way to a question
 * with other numbers.
 */
export const MissingReviewState = OneOf(
  'pending',
  'approved',
  'dismissed',
  'marked',
  'settled',
  'superseded',
)

/** A question to an operator: so many records of a module did not come; are they gone? */
export const MissingReview = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  state: MissingReviewState,
  missing: Type.Integer({ description: 'How many records would be marked' }),
  records: Type.Integer({ description: 'Of how many that are not marked yet' }),
  pull_id: Type.Integer(),
  at: Timestamp,
  answered_at: NullableTimestamp,
  answered_by: NullableString,
  closed_at: NullableTimestamp,
})

export const MissingReviewAnswer = Type.Object({
  success: Type.Literal(true),
  missing_review: MissingReview,
})

export const MissingReviewPage = Type.Object({
  success: Type.Literal(true),
  missing_reviews: Type.Array(MissingReview),
  next_cursor: NullableString,
})

export type MissingReviewState = Static<typeof MissingReviewState>
export type MissingReview = Static<typeof MissingReview>
