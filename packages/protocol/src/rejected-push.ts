import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  described,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  RequestText,
  Timestamp,
} from './common.ts'

const Errors = Type.Record(Type.String(), Type.Array(Type.String()))

/**
 * The outcome of a replayed write. `stale`: the record has newer values, which were not changed.
 */
export const ReplayOutcome = OneOf('created', 'updated', 'unchanged', 'stale')

/** A rejected push or pulled record, which is stored so that it can be fixed and replayed. */
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
  cause: Type.String({ description: 'Equal for all that were rejected for the same reason' }),
  body: Type.Unknown({ description: 'As received, without keys' }),
  pull_id: NullableInteger,
  request_id: described(
    NullableString,
    'The last request with which it was rejected; null for a pulled record',
  ),
  replayed_at: NullableTimestamp,
  replayed_by: NullableString,
  replay_outcome: Type.Union([ReplayOutcome, Type.Null()]),
  record_id: NullableInteger,
  accepted_at: described(
    NullableTimestamp,
    'When an operator accepted the group of this record (its `cause`) as exceptions, until they change; always null for a push',
  ),
  accepted_by: NullableString,
})

/** `open`: not replayed, also if an operator has accepted it as an exception. */
export const RejectedPushState = OneOf('open', 'replayed')

/** The rejected pushes with one cause that are not replayed yet. */
export const RejectedPushGroup = Type.Object({
  platform_name: Type.String(),
  record_type: NullableString,
  code: Type.String(),
  message: Type.String(),
  cause: Type.String(),
  rejected_pushes: Type.Integer({ description: 'The number of stored rejected pushes' }),
  pulled: Type.Integer({ description: 'How many of them are pulled records' }),
  count: Type.Integer({ description: 'How often they were rejected' }),
  first_at: Timestamp,
  last_at: Timestamp,
  digest: described(
    NullableString,
    'Identifies the records that the last complete pull of the module rejected with this cause; null if they cannot be accepted',
  ),
  accepted_at: described(
    NullableTimestamp,
    'When an operator accepted these records as exceptions, until they change',
  ),
  accepted_by: NullableString,
})

/** A group with the module that was probably meant. */
export const RepairableGroup = Type.Object({
  ...RejectedPushGroup.properties,
  proposal: Type.Union(
    [
      Type.Object({
        record_type: Type.String(),
        module_name: Type.String(),
        reason: OneOf('name', 'plural', 'spelling'),
      }),
      Type.Null(),
    ],
    {
      description:
        'The registered module that was probably meant, if the module of these pushes is not registered',
    },
  ),
})

/** The body of `POST /api/v1/rejected-pushes/groups/accept`. */
export const AcceptRequest = ClosedObject({
  platform: RequestText(),
  cause: RequestText(),
  digest: RequestText({ description: 'The `digest` of the group' }),
})

/** The body of `POST /api/v1/rejected-pushes/groups/reopen`. */
export const ReopenRequest = ClosedObject({ platform: RequestText(), cause: RequestText() })

/** A filter of rejected pushes; a missing member matches all. */
export const RejectedPushFilter = Type.Object({
  platform: Type.Optional(RequestText()),
  code: Type.Optional(RequestText()),
  record_type: Type.Optional(RequestText()),
  cause: Type.Optional(RequestText()),
})

export const ReplayRequest = ClosedObject({
  body: Type.Optional(Type.Unknown({ description: 'The fixed body, instead of the stored one' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'Return the outcome without writing' })),
  overwrite: Type.Optional(
    Type.Boolean({ description: 'Write it as if it were received now, over newer values' }),
  ),
})

export const ReplayAllRequest = ClosedObject({
  ...RejectedPushFilter.properties,
  dry_run: Type.Boolean({ description: 'Return the outcomes without writing' }),
  cursor: Type.Optional(RequestText({ description: '`next_cursor` of the previous step' })),
})

/** The outcome of a replay, or of a dry run. */
export const Replay = Type.Object({
  id: Type.Integer(),
  outcome: OneOf('created', 'updated', 'unchanged', 'stale', 'rejected'),
  record_id: NullableInteger,
  code: NullableString,
  message: Type.String(),
  errors: Errors,
  changed_values: Type.Optional(
    Type.Integer({ description: 'Of an update: how many values of the record it changes' }),
  ),
})

export const ReplayResponse = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Boolean(),
  replay: Replay,
})

const Counts = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  stale: Type.Integer(),
  rejected: Type.Integer(),
})

/** One step of a replay by filter: the next one continues at `next_cursor`, until it is null. */
export const ReplayStepResponse = Type.Object({
  success: Type.Literal(true),
  dry_run: Type.Boolean(),
  counts: Counts,
  replays: Type.Array(Replay),
  remaining: Type.Integer({ description: 'The number left for the following steps' }),
  next_cursor: NullableString,
})

const Path = RequestText({
  pattern: '^(?:/(?:[^/~]|~[01])+)+$',
  description: 'A JSON Pointer to a member of the body, such as `/record_type` or `/data/status`',
})
const Value = Type.Unknown({ description: 'Any JSON value' })

/**
 * A change to the body of a rejected push. It leaves a body as it is to which it does not apply: `rename` never replaces
 * another member, `default` sets a member that is absent or null, and `to_number` changes only the text of a JSON number.
 */
export const RepairChange = Type.Union([
  ClosedObject({ op: OneOf('set', 'default'), path: Path, value: Value }),
  ClosedObject({ op: Type.Literal('rename'), path: Path, to: RequestText({ minLength: 1 }) }),
  ClosedObject({ op: OneOf('remove', 'to_number', 'to_text', 'trim'), path: Path }),
])

const repair = {
  platform: RequestText(),
  cause: RequestText({ description: 'The `cause` of the group' }),
  changes: Type.Array(RepairChange, {
    maxItems: 20,
    description: 'In their order; without any, the bodies are replayed as they are',
  }),
}

/** The body of `POST /api/v1/rejected-pushes/repair/preview`. */
export const RepairPreviewRequest = ClosedObject(repair)

/** The body of `POST /api/v1/rejected-pushes/repair`. */
export const RepairRequest = ClosedObject({
  ...repair,
  until: RequestText({
    description: 'The `until` of a preview of the same changes: what it has tested is replayed',
  }),
  cursor: Type.Optional(RequestText({ description: '`next_cursor` of the previous step' })),
})

export const RepairedPush = Type.Object({
  ...Replay.properties,
  at: Timestamp,
  method: OneOf('POST', 'PATCH', 'pull'),
  reference_number: described(NullableString, 'After the changes, as `full_name`'),
  full_name: NullableString,
  changed: Type.Boolean({ description: 'Whether the changes apply to it' }),
})

/** What a repair would do. Nothing is written. */
export const RepairPreview = Type.Object({
  total: Type.Integer({ description: 'The rejected pushes of the group' }),
  tested: Type.Integer({ description: 'Those that were tested, the oldest ones' }),
  complete: Type.Boolean({ description: 'Whether all of them were tested within the time limit' }),
  counts: Counts,
  unchanged_bodies: Type.Integer({ description: 'Those to which no change applies' }),
  repeated: Type.Integer({
    description:
      'Those whose record another one, tested before, has written as well. They were counted without it, and may have another outcome',
  }),
  items: Type.Array(RepairedPush, { description: 'The first 100' }),
  examples: Type.Array(
    Type.Object({ id: Type.Integer(), before: Type.Unknown(), after: Type.Unknown() }),
    {
      description:
        'The bodies of the first ones to which the changes apply; fewer if they are long',
    },
  ),
  until: Type.String({ description: 'Identifies the tested pushes and their counts' }),
})

/** One step of a repair: the next one continues at `next_cursor`, until it is null. */
export const RepairStep = Type.Object({
  counts: Counts,
  totals: described(Counts, 'The counts of all steps so far'),
  replays: Type.Array(Replay),
  remaining: Type.Integer({ description: 'The number left for the following steps' }),
  next_cursor: NullableString,
  differences: Type.Array(
    Type.Object({
      outcome: OneOf('created', 'updated', 'unchanged', 'stale', 'rejected'),
      previewed: Type.Integer(),
      applied: Type.Integer(),
    }),
    { description: 'After the last step: the counts that differ from the preview' },
  ),
})

export type ReplayOutcome = Static<typeof ReplayOutcome>
export type RejectedPush = Static<typeof RejectedPush>
export type RejectedPushState = Static<typeof RejectedPushState>
export type RejectedPushGroup = Static<typeof RejectedPushGroup>
export type RepairableGroup = Static<typeof RepairableGroup>
export type RejectedPushFilter = Static<typeof RejectedPushFilter>
export type ReplayRequest = Static<typeof ReplayRequest>
export type ReplayAllRequest = Static<typeof ReplayAllRequest>
export type Replay = Static<typeof Replay>
export type ReplayStepResponse = Static<typeof ReplayStepResponse>
export type RepairChange = Static<typeof RepairChange>
export type RepairPreviewRequest = Static<typeof RepairPreviewRequest>
export type RepairRequest = Static<typeof RepairRequest>
export type RepairedPush = Static<typeof RepairedPush>
export type RepairPreview = Static<typeof RepairPreview>
export type RepairStep = Static<typeof RepairStep>
