import Type, { type Static } from 'typebox'
import { ClosedObject, OneOf, Timestamp } from './common.ts'

/** `erase` deletes a record; `anonymise` leaves an empty one, so that counts do not change. */
export const ErasureMode = OneOf('erase', 'anonymise')

export const ErasureRequest = ClosedObject({
  mode: ErasureMode,
  reason: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Stored in the audit log. Do not include anything that identifies the person.',
    }),
  ),
})

const traces = {
  history_entries: Type.Integer({ description: 'Entries in the history of the record' }),
  rejected_pushes: Type.Integer({
    description: 'Rejected pushes and rejected records with this reference',
  }),
  requests: Type.Integer({
    description: 'Requests in the request log that contain this reference',
  }),
  activity_entries: Type.Integer({
    description: 'Activity entries about the record, which are redacted',
  }),
}

/** The data that erasing a record deletes. */
export const ErasurePreview = Type.Object({
  record_id: Type.Integer(),
  platform_name: Type.String(),
  module_name: Type.String(),
  record_type: Type.String(),
  reference_number: Type.String(),
  full_name: Type.String(),
  ...traces,
  not_covered: Type.Array(Type.String(), { description: 'What the hub cannot erase' }),
})

export const Erasure = Type.Object({
  record_id: Type.Integer(),
  mode: ErasureMode,
  tombstone_id: Type.Integer(),
  ...traces,
})

/** A tombstone, which prevents an erased record from being stored again. It contains only a hash of the reference. */
export const Tombstone = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  record_type: Type.String(),
  record_id: Type.Integer({ description: 'The `record_id` of the erased record' }),
  mode: ErasureMode,
  at: Timestamp,
  actor: Type.String({ description: 'The operator who erased it' }),
})

export type ErasureMode = Static<typeof ErasureMode>
export type ErasurePreview = Static<typeof ErasurePreview>
export type Erasure = Static<typeof Erasure>
export type Tombstone = Static<typeof Tombstone>
