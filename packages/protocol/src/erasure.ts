import Type, { type Static } from 'typebox'
import { NullableString, OneOf, Timestamp } from './common.ts'

/** `erase` takes a record away; `anonymise` leaves an empty one, so that counts stay. */
export const ErasureMode = OneOf('erase', 'anonymise')

export const ErasureRequest = Type.Object(
  {
    mode: ErasureMode,
    reason: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Kept in the audit. Put nothing into it that tells who the person is.',
      }),
    ),
  },
  { additionalProperties: false },
)

const traces = {
  history_entries: Type.Integer({ description: 'Changes in its history' }),
  rejected_pushes: Type.Integer({ description: 'Refused pushes and pulled records that name it' }),
  activity_lines: Type.Integer({ description: 'Lines of the activity that name it; made silent' }),
}

/** What erasing a record would take, asked before it is done. */
export const ErasurePreview = Type.Object({
  record_id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  reference_number: Type.String(),
  full_name: Type.String(),
  ...traces,
  not_covered: Type.Array(Type.String(), { description: 'What the hub cannot erase, in words' }),
})

export const Erasure = Type.Object({
  record_id: Type.Integer(),
  mode: ErasureMode,
  tombstone_id: Type.Integer(),
  ...traces,
})

/** What keeps a record that was erased from coming back. It holds no reference, only a hash of it. */
export const Tombstone = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  record_id: Type.Integer({ description: 'The number that the record had' }),
  mode: ErasureMode,
  at: Timestamp,
  actor: Type.String({ description: 'Who erased it' }),
})

export const TombstonePage = Type.Object({
  success: Type.Literal(true),
  tombstones: Type.Array(Tombstone),
  next_cursor: NullableString,
})

export type ErasureMode = Static<typeof ErasureMode>
export type ErasurePreview = Static<typeof ErasurePreview>
export type Erasure = Static<typeof Erasure>
export type Tombstone = Static<typeof Tombstone>
