import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/** Any keys, any values; what a value may be is between the platform and its users. */
const Data = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** PHP writes an empty object as `[]`. */
const PushedData = Type.Union([Data, Type.Array(Type.Unknown(), { maxItems: 0 })])

const pushed = {
  record_type: Type.String({ minLength: 1 }),
  reference_number: Type.String({ minLength: 1 }),
  data: PushedData,
  occurred_at: Type.Optional(
    Type.String({ description: 'RFC 3339: when the change happened on the platform' }),
  ),
}

/** The body of a POST to the receiver: the whole record (specification 2.3, 4.1). */
export const NewRecordPush = Type.Object({
  module_name: Type.String(),
  full_name: Type.String(),
  ...pushed,
})

/** The body of a PATCH to the receiver: `data` holds the changed fields only. */
export const ChangedRecordPush = Type.Object({
  module_name: Type.Optional(Type.String()),
  full_name: Type.Optional(Type.String()),
  ...pushed,
})

/** One element of `records` in a platform's records answer (specification 2.5). */
export const PulledRecord = Type.Object({
  reference_number: Type.String({ minLength: 1 }),
  full_name: Type.String(),
  data: PushedData,
})

/** The receiver's answer to an accepted push (specification 4.1). */
export const PushAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  method: OneOf('POST', 'PATCH'),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_id: Type.Integer(),
  outcome: OneOf('created', 'updated', 'unchanged', 'stale'),
  warnings: Type.Optional(Type.Array(Type.String())),
})

/** What `GET /api/webhook/check` tells an owner whose key is right. */
export const PushCheckAnswer = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.String(),
  modules: Type.Array(Type.Object({ module_name: Type.String(), record_type: Type.String() })),
})

/** A stored record as the operator API shows it. `data` keeps every number as it was sent. */
export const StoredRecord = Type.Object({
  record_id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  reference_number: Type.String(),
  full_name: Type.String(),
  data: Data,
  incomplete: Type.Boolean(),
  missing_since: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const RecordSummary = Type.Omit(StoredRecord, ['data'])

export const RECORD_SORTS = [
  'record_id',
  'reference_number',
  'full_name',
  'created_at',
  'updated_at',
] as const

export const RecordPage = Type.Object({
  success: Type.Literal(true),
  records: Type.Array(StoredRecord),
  next_cursor: NullableString,
  previous_cursor: NullableString,
  complete: Type.Boolean({
    description:
      'False where the time for looking was over before the page was full: the cursor carries on from there',
  }),
  estimated_total: Type.Integer(),
  total_is_estimate: Type.Boolean(),
  search_lag: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      'How many changed records the index does not hold yet, where the list goes by it; 10000 stands for more',
  }),
})

/** A change of one place in a record; an absent side is left out. */
export const Change = Type.Object({
  path: Type.String({ description: 'JSON Pointer, RFC 6901: /full_name or /data/<key>' }),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
})

export const HistoryEntry = Type.Object({
  at: Timestamp,
  source: OneOf('POST', 'PATCH', 'pull', 'replay'),
  changes: Type.Array(Change),
  pull_id: NullableInteger,
  request_id: NullableString,
})

export type NewRecordPush = Static<typeof NewRecordPush>
export type ChangedRecordPush = Static<typeof ChangedRecordPush>
export type PulledRecord = Static<typeof PulledRecord>
export type PushAnswer = Static<typeof PushAnswer>
export type StoredRecord = Static<typeof StoredRecord>
export type RecordSummary = Static<typeof RecordSummary>
export type Change = Static<typeof Change>
export type HistoryEntry = Static<typeof HistoryEntry>
export type RecordPage = Static<typeof RecordPage>
export type RecordSort = (typeof RECORD_SORTS)[number]
