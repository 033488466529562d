import Type, { type Static } from 'typebox'
import { NullableString, NullableTimestamp, Timestamp } from './common.ts'

/** What removing a platform would take, asked before it is done. */
export const PlatformRemovalPreview = Type.Object({
  platform_name: Type.String(),
  modules: Type.Integer(),
  records: Type.Integer({ description: 'Each goes with its history' }),
  rejected_pushes: Type.Integer(),
  hub_api_keys: Type.Integer({ description: 'They end at once, as does the source API key' }),
})

/** What deleting the records of a module that is not registered would take. */
export const ModuleRemovalPreview = Type.Object({
  platform_name: Type.String(),
  record_type: Type.String(),
  registered: Type.Boolean({ description: 'Its records can be deleted only where it is not' }),
  records: Type.Integer({ description: 'Each goes with its history' }),
})

/** The name is the platform's, typed again: what goes does not come back. */
export const PlatformRemovalRequest = Type.Object(
  { platform_name: Type.String() },
  { additionalProperties: false },
)
export const ModuleRemovalRequest = Type.Object(
  { record_type: Type.String() },
  { additionalProperties: false },
)

/** Records that are deleted in the background: a platform's, or where `record_type` is set a module's. */
export const Removal = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  platform_title: Type.String(),
  record_type: NullableString,
  module_name: NullableString,
  records: Type.Integer({ description: 'How many there were' }),
  removed: Type.Integer({ description: 'How many of them are gone' }),
  requested_by: Type.String(),
  requested_at: Timestamp,
  finished_at: NullableTimestamp,
})

export const RemovalAnswer = Type.Object({ success: Type.Literal(true), removal: Removal })

export const RemovalPage = Type.Object({
  success: Type.Literal(true),
  removals: Type.Array(Removal),
  next_cursor: NullableString,
})

export type PlatformRemovalPreview = Static<typeof PlatformRemovalPreview>
export type ModuleRemovalPreview = Static<typeof ModuleRemovalPreview>
export type Removal = Static<typeof Removal>
