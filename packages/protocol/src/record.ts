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
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What the hub ignored or what does not match the manifest: unknown keys, required keys that are absent, values of a wrong type',
    }),
  ),
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
  path: Type.String({
    description: 'JSON Pointer, RFC 6901: /full_name, /data/<key>, /incomplete or /missing_since',
  }),
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

/** A record as it is, or, where it was asked for, as it was at a moment. */
export const RecordAnswer = Type.Object({
  success: Type.Literal(true),
  record: Type.Object({
    ...StoredRecord.properties,
    updated_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'null only in the past: the history does not reach back to that change',
    }),
  }),
  as_of: Type.Optional(Timestamp),
})

/** Which write gave a value of a record what it is now. */
export const FieldOrigin = Type.Object({
  path: Type.String({ description: 'JSON Pointer, RFC 6901: /full_name or /data/<key>' }),
  value: Type.Unknown(),
  written_at: NullableTimestamp,
  source: Type.Unsafe<'POST' | 'PATCH' | 'pull' | 'replay' | 'creation' | null>({
    type: ['string', 'null'],
    enum: ['POST', 'PATCH', 'pull', 'replay', 'creation', null],
    description: 'creation: as old as the record; null: before the history that is kept',
  }),
  pull_id: NullableInteger,
  request_id: NullableString,
})

/** One line of the feed: a record at its newest change, or that it is no more. */
export const RecordChangeLine = Type.Object({
  cursor: Type.String({ description: 'Give it as `since` to go on behind this line' }),
  change: OneOf('created', 'updated', 'deleted'),
  at: Timestamp,
  record_id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  record: Type.Optional(StoredRecord),
})

export const ChangesAnswer = Type.Object({
  success: Type.Literal(true),
  changes: Type.Array(RecordChangeLine),
  next_cursor: Type.String({ description: 'Give it as `since` next time, now or later' }),
  has_more: Type.Boolean(),
})

export type FieldOrigin = Static<typeof FieldOrigin>
export type RecordChangeLine = Static<typeof RecordChangeLine>
export type ChangesAnswer = Static<typeof ChangesAnswer>
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
