/** Reverts: taking back what a pull, or the pushes of a platform, did to records; and the holds that keep it from coming back. */
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
import { PasswordAgain } from './operator.ts'
import { Change } from './record.ts'

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** What a revert takes back. */
export const RevertScope = Type.Union([
  ClosedObject({
    pull_id: Id,
    platform: Type.Optional(
      RequestText({ description: 'Only its modules: two platforms may have one record_type' }),
    ),
    record_type: Type.Optional(RequestText({ description: 'Only this module of the pull' })),
  }),
  ClosedObject({
    platform: RequestText({ description: 'The pushes of this platform, with their replays' }),
    from: RequestText({ description: 'RFC 3339: the time of the first write at the hub' }),
    to: RequestText({
      description:
        'RFC 3339: writes at this time and later are left out, and those after the plan was made',
    }),
  }),
  ClosedObject({
    record_id: Id,
    version: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The `change_seq` of an entry in the history of the record: the state after it. 0: the state in which the record was received',
    }),
  }),
  ClosedObject({ revert_id: described(Id, 'Takes back this revert') }),
])

/** The body of `POST /api/v1/reverts`. */
export const RevertRequest = ClosedObject({
  scope: RevertScope,
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '\\S',
    description: 'Stored in the audit log. Do not include anything that identifies a person.',
  }),
})

/** The body of `POST /api/v1/reverts/{id}/start`. */
export const RevertStartRequest = ClosedObject(PasswordAgain)

export const REVERT_STATES = [
  'planned',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const
export const RevertState = OneOf(...REVERT_STATES)

/** In which of its three lists a record of the scope is. */
export const REVERT_OUTCOMES = ['reverted', 'kept', 'impossible'] as const
export const RevertOutcome = OneOf(...REVERT_OUTCOMES)

/**
 * Why a record of the scope cannot be reverted. `history_deleted`: retention may have deleted a part of the history that it
 * needs. `anonymised`: the record was anonymised. `module_not_registered`: nothing is written to its module.
 */
export const ImpossibleReason = OneOf('history_deleted', 'anonymised', 'module_not_registered')

/**
 * A plan before the start; then the result of the records that are done, and the plan of the others; at the end the result of
 * those that are done.
 */
export const RevertCounts = Type.Object({
  reverted: Type.Integer({
    description:
      'As planned until the revert has ended; then, as `kept` and `impossible`, only of records that are done',
  }),
  kept: Type.Integer({ description: 'Not changed: a path has another value by now' }),
  impossible: Type.Integer(),
  held_now: Type.Integer({ description: 'Records with a hold of this revert' }),
  lifted: Type.Integer({
    description: 'Records that had a hold of this revert and have none any more',
  }),
})

export const Revert = Type.Object({
  id: Type.Integer(),
  state: RevertState,
  scope: RevertScope,
  reason: Type.String(),
  operator: Type.String({ description: 'The operator or API token that planned it' }),
  started_by: NullableString,
  counts: RevertCounts,
  progress: Type.Object({
    records_total: Type.Integer(),
    records_done: Type.Integer(),
    percent: Type.Integer(),
  }),
  planned_at: Timestamp,
  expires_at: described(NullableTimestamp, 'When a plan that was not started is deleted'),
  started_at: NullableTimestamp,
  finished_at: NullableTimestamp,
  error: NullableString,
  history_since: described(
    NullableTimestamp,
    'Set if retention has deleted a part of the history of the scope: changes before this time are not in the plan',
  ),
  holds: Type.Boolean({
    description:
      'Whether the revert keeps the values that it takes back from coming back. A revert of a revert does not',
  }),
  reverted_by: described(
    NullableInteger,
    'The last revert that has succeeded in taking back this one, or a part of it',
  ),
})

/** A record of a revert. */
export const RevertRecord = Type.Object({
  record_id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  module_name: Type.String(),
  reference_number: Type.String(),
  full_name: Type.String(),
  outcome: RevertOutcome,
  done: Type.Boolean({ description: 'False while the outcome is that of the plan' }),
  creates: Type.Boolean({
    description: 'Whether the scope created the record, which becomes missing (`taken_back`)',
  }),
  kept: described(
    Type.Union([
      Type.Object({
        path: Type.String({
          description: 'JSON Pointer: the first path that has another value by now',
        }),
        source: described(
          NullableString,
          'What wrote it: POST, PATCH, pull, replay or revert; null if that is not stored any more',
        ),
        at: NullableTimestamp,
        pull_id: NullableInteger,
        request_id: NullableString,
        revert_id: NullableInteger,
      }),
      Type.Null(),
    ]),
    'Set for a record that is kept',
  ),
  reason: described(
    Type.Union([ImpossibleReason, Type.Null()]),
    'Set for a record that is impossible to revert',
  ),
})

/** A record in a list, with what the revert changes in it. */
export const ListedRevertRecord = Type.Object({
  ...RevertRecord.properties,
  changes: Type.Array(Change, {
    description:
      'Of a record that gets its former values: the first values that are changed, or were if it is done; at most 3, without large ones. `before` is the value that is taken back',
  }),
  changes_total: Type.Integer({ description: '0 if they are not known any more' }),
})

/** The held paths of a record, by one revert. */
export const Hold = Type.Object({
  record_id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  module_name: Type.String(),
  reference_number: Type.String(),
  full_name: Type.String(),
  revert_id: Type.Integer(),
  since: Timestamp,
  holds: OneOf('values', 'existence', 'absence'),
  paths: Type.Array(Type.String(), {
    description:
      'JSON Pointers of the values that are held; empty for existence and absence. At most 100. A key that is very long, or has U+0000 or a lone surrogate, is `~sha256:` and a hash.',
  }),
})

export const HoldsSummary = Type.Object({
  records: Type.Integer({ description: 'Records with a hold' }),
  oldest_since: NullableTimestamp,
})

export const RevertResponse = Type.Object({ success: Type.Literal(true), revert: Revert })

export const RevertsPage = Type.Object({
  success: Type.Literal(true),
  reverts: Type.Array(Revert),
  next_cursor: NullableString,
})

export const RevertRecordsPage = Type.Object({
  success: Type.Literal(true),
  records: Type.Array(ListedRevertRecord),
  next_cursor: NullableString,
})

export const HoldsPage = Type.Object({
  success: Type.Literal(true),
  summary: HoldsSummary,
  holds: Type.Array(Hold),
  next_cursor: NullableString,
})

/** The response of `DELETE …/holds`. */
export const HoldsLifted = Type.Object({
  success: Type.Literal(true),
  lifted: Type.Integer({ description: 'The number of records whose holds were lifted' }),
})

export type RevertScope = Static<typeof RevertScope>
export type RevertRequest = Static<typeof RevertRequest>
export type RevertState = Static<typeof RevertState>
export type RevertOutcome = Static<typeof RevertOutcome>
export type ImpossibleReason = Static<typeof ImpossibleReason>
export type RevertCounts = Static<typeof RevertCounts>
export type Revert = Static<typeof Revert>
export type RevertRecord = Static<typeof RevertRecord>
export type ListedRevertRecord = Static<typeof ListedRevertRecord>
export type Hold = Static<typeof Hold>
export type HoldsSummary = Static<typeof HoldsSummary>
export type RevertResponse = Static<typeof RevertResponse>
export type RevertsPage = Static<typeof RevertsPage>
export type RevertRecordsPage = Static<typeof RevertRecordsPage>
export type HoldsPage = Static<typeof HoldsPage>
export type HoldsLifted = Static<typeof HoldsLifted>

/**
 * The routes and their responses: what clients type their requests with. `?outcome=`, `?limit=` and `?cursor=` page the
 * records; `?limit=`, `?cursor=`, `?platform=`, `?record_type=`, `?record_id=` and `?revert_id=` the holds; `?pull_id=` restricts the list of
 * reverts to those of a pull.
 */
export type RevertRoutes = {
  /** 201. The body is a `RevertRequest`. */
  'POST /api/v1/reverts': RevertResponse
  'GET /api/v1/reverts': RevertsPage
  'GET /api/v1/reverts/:id': RevertResponse
  'GET /api/v1/reverts/:id/records': RevertRecordsPage
  /** CSV: the same columns as `RevertRecord`, with `?outcome=`. */
  'GET /api/v1/reverts/:id/records/export': string
  /** 202. The body is `{ password? }`. */
  'POST /api/v1/reverts/:id/start': RevertResponse
  /** 202. */
  'POST /api/v1/reverts/:id/cancel': RevertResponse
  'DELETE /api/v1/reverts/:id/holds': HoldsLifted
  'GET /api/v1/holds': HoldsPage
  'DELETE /api/v1/records/:record_id/holds': HoldsLifted
}
