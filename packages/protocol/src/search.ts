import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  described,
  NullableInteger,
  NullableString,
  OneOf,
  Timestamp,
} from './common.ts'
import { MAX_INDEXED_FIELDS } from './constants.ts'
import { SearchMatch, StoredRecord } from './record.ts'

export const IndexedFieldsRequest = ClosedObject({
  fields: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    maxItems: MAX_INDEXED_FIELDS,
  }),
})

/** A saved list of records: the query of its URL. */
export const SavedView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  query: Type.String(),
  shared: Type.Boolean(),
  own: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const view = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  query: Type.String({ maxLength: 8000 }),
  shared: Type.Boolean(),
}

export const NewView = ClosedObject({ ...view, shared: Type.Optional(view.shared) })
export const ViewChange = Type.Partial(Type.Object(view), {
  additionalProperties: false,
  minProperties: 1,
})

/** A record of the hub that a search found. */
export const SearchedRecord = Type.Object({
  ...StoredRecord.properties,
  rank: OneOf('equal', 'beginning', 'words'),
  matches: Type.Array(SearchMatch, {
    description: 'Of each term the first value that contains it, at most three values',
  }),
})

/** A record found by a platform's own search (specification 4.2). */
export const FoundRecord = Type.Object({
  reference_number: NullableString,
  full_name: NullableString,
  record_type: NullableString,
  data: Type.Unsafe<unknown>({ description: 'As the platform sent it' }),
})

const MatchedRecord = Type.Object({
  ...FoundRecord.properties,
  matches: Type.Array(SearchMatch, {
    description: 'As for a record of the hub; empty if the hub finds no term in it',
  }),
})

const PlatformError = Type.Object({ code: Type.String(), message: Type.String() })

/**
 * The lines of a search, one JSON object each: first the platforms, then the results of the hub itself, then those of each
 * platform as it responds, and `end`, without which the response is incomplete.
 */
export const SearchLine = Type.Union([
  Type.Object({
    kind: Type.Literal('started'),
    platforms: Type.Array(
      Type.Object({ platform_name: Type.String(), display_title: Type.String() }),
    ),
  }),
  Type.Object({
    kind: Type.Literal('hub'),
    records: Type.Array(SearchedRecord, {
      description:
        'The first records by rank: the name or the reference equals the search, begins with it, or words match elsewhere; within a rank the last changed first',
    }),
    estimated_total: Type.Integer(),
    total_is_estimate: Type.Boolean(),
    complete: Type.Boolean(),
    search_lag: NullableInteger,
    error: Type.Union([PlatformError, Type.Null()]),
    took_ms: Type.Integer(),
  }),
  Type.Object({
    kind: Type.Literal('platform'),
    platform_name: Type.String(),
    outcome: OneOf('found', 'raw', 'no_endpoint', 'failed'),
    found: Type.Integer({ description: 'The number of records in the response' }),
    records: Type.Array(MatchedRecord, {
      description: 'The first records, in the order of the platform',
    }),
    raw: described(NullableString, 'The beginning of a response without a list of records'),
    error: Type.Union([PlatformError, Type.Null()]),
    took_ms: Type.Integer(),
  }),
  Type.Object({ kind: Type.Literal('end') }),
])

export type SearchedRecord = Static<typeof SearchedRecord>
export type FoundRecord = Static<typeof FoundRecord>
export type SearchLine = Static<typeof SearchLine>
export type SavedView = Static<typeof SavedView>
export type NewView = Static<typeof NewView>
export type ViewChange = Static<typeof ViewChange>
