import Type, { type Static } from 'typebox'
import { Timestamp } from './common.ts'

/** How far the indexes are behind that records are searched, filtered and sorted by. */
export const SearchStatus = Type.Object({
  success: Type.Literal(true),
  lag: Type.Integer({
    description: 'Changed records that are not indexed yet; 10000 stands for more',
  }),
  text_index: Type.Boolean({
    description: 'False where the database has no index of texts: searches go through records then',
  }),
})

export const IndexedFieldsRequest = Type.Object(
  {
    fields: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 5,
      uniqueItems: true,
    }),
  },
  { additionalProperties: false },
)

export const IndexedFieldsAnswer = Type.Object({
  success: Type.Literal(true),
  fields: Type.Array(
    Type.Object({
      key: Type.String(),
      is_built: Type.Boolean({ description: 'Whether lists go by it already' }),
    }),
  ),
})

/** A list of records under a name: the query of its URL. */
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
  query: Type.String({ maxLength: 4000 }),
  shared: Type.Boolean(),
}

export const NewView = Type.Object(
  { ...view, shared: Type.Optional(view.shared) },
  { additionalProperties: false },
)
export const ViewChange = Type.Partial(Type.Object(view), {
  additionalProperties: false,
  minProperties: 1,
})

export type SearchStatus = Static<typeof SearchStatus>
export type SavedView = Static<typeof SavedView>
export type NewView = Static<typeof NewView>
export type ViewChange = Static<typeof ViewChange>
