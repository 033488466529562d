import Type, { type Static } from 'typebox'
import { NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/**
 * `pending` waits for a decision, `approved` for the next complete read; both and `dismissed` are open. `marked`: the records
 * were marked as approved. `resolved`: no decision is needed any more. `superseded`: replaced by a review with other numbers.
 */
export const MissingReviewState = OneOf(
  'pending',
  'approved',
  'dismissed',
  'marked',
  'resolved',
  'superseded',
)

/** A review by an operator: whether records that a complete pull did not contain are marked as missing. */
export const MissingReview = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  state: MissingReviewState,
  missing: Type.Integer({ description: 'The number of records that would be marked' }),
  records: Type.Integer({ description: 'The number of records that are not marked yet' }),
  pull_id: Type.Integer(),
  at: Timestamp,
  decided_at: NullableTimestamp,
  decided_by: NullableString,
  closed_at: NullableTimestamp,
})

export const MissingReviewResponse = Type.Object({
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
