import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

const Errors = Type.Record(Type.String(), Type.Array(Type.String()))

/**
 * What became of a write that was replayed. `stale`: something newer than it stands, and stays.
 */
export const ReplayOutcome = OneOf('created', 'updated', 'unchanged', 'stale')

/** A push or a pulled record that was refused, kept so that it can be mended. */
export const RejectedPush = Type.Object({
  id: Type.Integer(),
  first_at: Timestamp,
  at: Timestamp,
  count: Type.Integer(),
  platform_name: Type.String(),
  record_type: NullableString,
  method: OneOf('POST', 'PATCH', 'pull'),
  code: Type.String(),
  message: Type.String(),
  errors: Errors,
  cause: Type.String({ description: 'The same for all that were refused for the same reason' }),
  body: Type.Unknown({ description: 'As it came, without keys' }),
  pull_id: NullableInteger,
  replayed_at: NullableTimestamp,
  replayed_by: NullableString,
  replay_outcome: Type.Union([ReplayOutcome, Type.Null()]),
  record_id: NullableInteger,
})

export const RejectedPushState = OneOf('open', 'replayed')

/** What was refused for one reason and is not replayed yet. */
export const RejectedPushGroup = Type.Object({
  platform_name: Type.String(),
  record_type: NullableString,
  code: Type.String(),
  message: Type.String(),
  cause: Type.String(),
  rejected_pushes: Type.Integer({ description: 'How many are kept' }),
  count: Type.Integer({ description: 'How often they were refused' }),
  first_at: Timestamp,
  last_at: Timestamp,
})

/** Which rejected pushes are meant; a member that is left out holds for all. */
export const RejectedPushFilter = Type.Object({
  platform: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  record_type: Type.Optional(Type.String()),
  cause: Type.Optional(Type.String()),
})

export const ReplayRequest = Type.Object(
  {
    body: Type.Optional(
      Type.Unknown({ description: 'The body as mended, instead of the kept one' }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Tell the outcome and write nothing' })),
    overwrite: Type.Optional(
      Type.Boolean({ description: 'Write it as if it came now, over what is newer than it' }),
    ),
  },
  { additionalProperties: false },
)

export const ReplayAllRequest = Type.Object(
  {
    ...RejectedPushFilter.properties,
    dry_run: Type.Boolean({ description: 'Tell the outcomes and write nothing' }),
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the step before' })),
  },
  { additionalProperties: false },
)

/** What a replay did, or in a dry run would do. */
export const Replay = Type.Object({
  id: Type.Integer(),
  outcome: OneOf('created', 'updated', 'unchanged', 'stale', 'rejected'),
  record_id: NullableInteger,
  code: NullableString,
  message: Type.String(),
  errors: Errors,
})

export const ReplayAnswer = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Boolean(),
  replay: Replay,
})

/** One step of a replay by filter: the next one goes on with `next_cursor`, until that is null. */
export const ReplayStepAnswer = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Boolean(),
  counts: Type.Object({
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    stale: Type.Integer(),
    rejected: Type.Integer(),
  }),
  replays: Type.Array(Replay),
  remaining: Type.Integer({ description: 'How many the following steps have before them' }),
  next_cursor: NullableString,
})

export type ReplayOutcome = Static<typeof ReplayOutcome>
export type RejectedPush = Static<typeof RejectedPush>
export type RejectedPushState = Static<typeof RejectedPushState>
export type RejectedPushGroup = Static<typeof RejectedPushGroup>
export type RejectedPushFilter = Static<typeof RejectedPushFilter>
export type ReplayRequest = Static<typeof ReplayRequest>
export type ReplayAllRequest = Static<typeof ReplayAllRequest>
export type Replay = Static<typeof Replay>
export type ReplayStepAnswer = Static<typeof ReplayStepAnswer>
