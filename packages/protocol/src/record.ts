import Type, { type Static } from 'typebox'
import {
  described,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  Timestamp,
} from './common.ts'
import { MAX_NAME_LENGTH, MAX_RECORD_TYPE_BYTES, MAX_REFERENCE_BYTES } from './constants.ts'

/** Any keys and values. */
const Data = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** PHP writes an empty object as `[]`. */
const PushedData = Type.Union([Data, Type.Array(Type.Unknown(), { maxItems: 0 })])

const Name = Type.String({ maxLength: MAX_NAME_LENGTH })
const Reference = Type.String({ minLength: 1, maxLength: MAX_REFERENCE_BYTES })

const pushed = {
  record_type: Type.String({ minLength: 1, maxLength: MAX_RECORD_TYPE_BYTES }),
  reference_number: Reference,
  data: PushedData,
  occurred_at: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 100,
      description: 'RFC 3339: when the change happened on the platform; null is as good as none',
    }),
  ),
}

/** The body of a POST to the receiver: the complete record (specification 2.3, 4.1). */
export const NewRecordPush = Type.Object({
  module_name: Name,
  full_name: Name,
  ...pushed,
})

/** The body of a PATCH to the receiver: `data` contains only the changed fields. */
export const ChangedRecordPush = Type.Object({
  module_name: Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: MAX_NAME_LENGTH }),
  ),
  full_name: Type.Optional(Name),
  ...pushed,
})

/** One element of `records` in a platform's records response (specification 2.5). */
export const PulledRecord = Type.Object({
  reference_number: Reference,
  full_name: Name,
  data: PushedData,
})

/** The response to an accepted push (specification 4.1). */
export const PushResponse = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  method: OneOf('POST', 'PATCH'),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_id: Type.Integer(),
  outcome: OneOf('created', 'updated', 'unchanged', 'stale', 'held'),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What the hub ignored and why: values that were taken back in the hub, an older push, a module_name that is not the registered one, a platform_name that is not that of the key; what does not match the manifest: unknown keys, required keys that are absent, values of a wrong type; that a PATCH has created an incomplete record; that the key was replaced',
    }),
  ),
})

/** The response of `GET /api/webhook/check` to a request with a valid key. */
export const PushCheckResponse = Type.Object({
  success: Type.Literal(true),
  platform_name: Type.String(),
  modules: Type.Array(Type.Object({ module_name: Type.String(), record_type: Type.String() })),
  valid_until: described(
    NullableTimestamp,
    'When the key expires, because it was replaced; null for the current key',
  ),
})

/** Why a record is missing. `absent`: a complete read lacked it. `taken_back`: a revert made it missing. */
export const MISSING_REASONS = ['absent', 'taken_back'] as const

/** A stored record as the operator API shows it. The numbers in `data` have the digits that were sent. */
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
  missing_reason: described(
    Type.Union([OneOf(...MISSING_REASONS), Type.Null()]),
    'Why it is missing; null if it is not, and for past versions where the hub does not know',
  ),
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

/** The order of a list with a search: the best matches first, and of equally good ones the last changed. */
export const BY_RELEVANCE = 'relevance'

/** A path in the data of a module's records, or a field of its manifest. */
export const DataField = Type.Object({
  path: Type.String({
    description: 'As filters, `data.<path>` in sorts and columns, and facets take it',
  }),
  parent: described(
    NullableString,
    'The path of the field that contains it; null at the top level',
  ),
  name: Type.String({
    description: 'The key; `[]` for the elements of a list that are no objects',
  }),
  label: described(NullableString, 'Of the manifest; null if it does not name the path'),
  in_manifest: Type.Boolean(),
  types: Type.Array(OneOf('text', 'number', 'boolean', 'date', 'object', 'list'), {
    description: 'Of the values that are not null, the most frequent first. A date is a text.',
  }),
  records: Type.Integer({
    description: 'Examined records that have a value here other than null and ""',
  }),
  distinct: described(
    NullableInteger,
    'How many different values the examined records have; null for more than 50, and for objects, lists and long texts',
  ),
  examples: Type.Array(Type.String(), { description: 'Up to three short values' }),
})

/** The response of `GET /api/v1/platforms/:id/modules/:record_type/fields`. */
export const DataFieldsResponse = Type.Object({
  success: Type.Literal(true),
  fields: Type.Array(DataField, {
    description:
      'In the order of the manifest, then of their first occurrence; a field directly before those in it',
  }),
  examined: Type.Integer({ description: 'The number of records that were examined' }),
  complete: Type.Boolean({
    description: 'Whether these are all records of the module, and all their paths',
  }),
})

/** The values of a path in the records of a list. */
export const Facet = Type.Object({
  path: Type.String(),
  values: Type.Union(
    [
      Type.Array(
        Type.Object({
          value: Type.String({
            description: 'As written; the value of a filter with `is` or `in`',
          }),
          records: Type.Integer(),
        }),
      ),
      Type.Null(),
    ],
    {
      description:
        'The most frequent first; null for more than 50 values, and if a value is an object, a list or a text of more than 256 characters',
    },
  ),
  empty: Type.Integer({ description: 'Records without a value: absent, null or ""' }),
})

/**
 * The response of `GET /api/v1/records/facets`. Conditions on the path of a facet do not restrict that facet, so that its other
 * values can be chosen too.
 */
export const FacetsResponse = Type.Object({
  success: Type.Literal(true),
  facets: Type.Array(Facet, { description: 'In the order of the request' }),
  examined: Type.Integer({ description: 'The number of records that were examined' }),
  complete: Type.Boolean({
    description:
      'False if the time limit was reached before the end of the list: every number is then a minimum, and values may be absent',
  }),
})

/** Where a record contains terms of a search. */
export const SearchMatch = Type.Object({
  column: Type.String({ description: 'hub_full_name, hub_reference_number or data.<path>' }),
  text: Type.String({
    description:
      'The value, or the part of it around the first term; … stands for what was cut off',
  }),
  ranges: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), {
    description: 'The terms in `text`, in order: start and exclusive end, in UTF-16 code units',
  }),
})

/** A record in a list. */
export const ListedRecord = Type.Object({
  ...StoredRecord.properties,
  matches: Type.Optional(
    Type.Array(SearchMatch, {
      description: 'With `q`: of each term the first value that contains it, at most three values',
    }),
  ),
})

export const RecordPage = Type.Object({
  success: Type.Literal(true),
  records: Type.Array(ListedRecord),
  next_cursor: NullableString,
  previous_cursor: NullableString,
  complete: Type.Boolean({
    description:
      'False if the time limit was reached before the page was full. The cursor continues from there.',
  }),
  estimated_total: Type.Integer(),
  total_is_estimate: Type.Boolean(),
  search_lag: described(
    NullableInteger,
    'Number of changed records that are not indexed yet, if the list uses the index. 10000 means 10000 or more.',
  ),
})

/** A change at one path of a record; a missing side is omitted. */
export const Change = Type.Object({
  path: Type.String({
    description: 'JSON Pointer, RFC 6901: /full_name, /data/<key>, /incomplete or /missing_since',
  }),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
})

export const HistoryEntry = Type.Object({
  change_seq: Type.Integer({ description: 'The number of the change, which identifies it' }),
  at: Timestamp,
  source: OneOf('POST', 'PATCH', 'pull', 'replay', 'revert'),
  changes: Type.Array(Change),
  pull_id: NullableInteger,
  request_id: NullableString,
  revert_id: NullableInteger,
})

/** The current version of a record, or the version at a requested time or after a requested change. */
export const RecordResponse = Type.Object({
  success: Type.Literal(true),
  record: Type.Object({
    ...StoredRecord.properties,
    updated_at: described(
      NullableTimestamp,
      'null only for past versions: the history does not reach back to that change',
    ),
  }),
  as_of: Type.Optional(Timestamp),
})

/** The write that set the current value of a path. */
export const FieldOrigin = Type.Object({
  path: Type.String({ description: 'JSON Pointer, RFC 6901: /full_name or /data/<key>' }),
  value: Type.Unknown(),
  written_at: NullableTimestamp,
  source: Type.Unsafe<'POST' | 'PATCH' | 'pull' | 'replay' | 'revert' | 'creation' | null>({
    type: ['string', 'null'],
    enum: ['POST', 'PATCH', 'pull', 'replay', 'revert', 'creation', null],
    description: 'creation: set when the record was created; null: before the start of the history',
  }),
  pull_id: NullableInteger,
  request_id: NullableString,
  revert_id: NullableInteger,
})

/** One entry of the feed: the newest version of a record, or its deletion. */
export const RecordChangeLine = Type.Object({
  cursor: Type.String({ description: 'Pass it as `since` to continue after this entry' }),
  change: OneOf('created', 'updated', 'deleted'),
  at: Timestamp,
  record_id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  source: Type.Optional(
    described(OneOf('revert'), 'Set if a revert made the change; then with `revert_id`'),
  ),
  revert_id: Type.Optional(Type.Integer()),
  record: Type.Optional(StoredRecord),
})

export const ChangesResponse = Type.Object({
  success: Type.Literal(true),
  changes: Type.Array(RecordChangeLine),
  next_cursor: Type.String({ description: 'Pass it as `since` in the next request' }),
  has_more: Type.Boolean(),
})

export type FieldOrigin = Static<typeof FieldOrigin>
export type RecordChangeLine = Static<typeof RecordChangeLine>
export type ChangesResponse = Static<typeof ChangesResponse>
export type NewRecordPush = Static<typeof NewRecordPush>
export type ChangedRecordPush = Static<typeof ChangedRecordPush>
export type PulledRecord = Static<typeof PulledRecord>
export type PushResponse = Static<typeof PushResponse>
export type MissingReason = (typeof MISSING_REASONS)[number]
export type StoredRecord = Static<typeof StoredRecord>
export type RecordSummary = Static<typeof RecordSummary>
export type Change = Static<typeof Change>
export type HistoryEntry = Static<typeof HistoryEntry>
export type SearchMatch = Static<typeof SearchMatch>
export type ListedRecord = Static<typeof ListedRecord>
export type RecordPage = Static<typeof RecordPage>
export type DataField = Static<typeof DataField>
export type DataFieldsResponse = Static<typeof DataFieldsResponse>
export type Facet = Static<typeof Facet>
export type FacetsResponse = Static<typeof FacetsResponse>
export type RecordSort = (typeof RECORD_SORTS)[number]
