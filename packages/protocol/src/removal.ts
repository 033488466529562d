import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  NullableString,
  NullableTimestamp,
  RequestText,
  Timestamp,
} from './common.ts'

/** The data that removing a platform deletes. */
export const PlatformRemovalPreview = Type.Object({
  platform_name: Type.String(),
  modules: Type.Integer(),
  records: Type.Integer({ description: 'Records, which are deleted with their history' }),
  rejected_pushes: Type.Integer(),
  hub_api_keys: Type.Integer({
    description: 'Keys, which are revoked immediately together with the source API key',
  }),
})

/** The data that deleting the records of an unregistered module deletes. */
export const ModuleRemovalPreview = Type.Object({
  platform_name: Type.String(),
  record_type: Type.String(),
  registered: Type.Boolean({
    description: 'Records can be deleted only if the module is not registered',
  }),
  records: Type.Integer({ description: 'Records, which are deleted with their history' }),
})

/** The name of the platform, repeated as a confirmation. */
export const PlatformRemovalRequest = ClosedObject({ platform_name: RequestText() })
export const ModuleRemovalRequest = ClosedObject({ record_type: RequestText() })

/** A deletion in the background: of a platform, or of a module if `record_type` is set. */
export const Removal = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  platform_title: Type.String(),
  record_type: NullableString,
  module_name: NullableString,
  records: Type.Integer({ description: 'The number of records at the start' }),
  removed: Type.Integer({ description: 'The number of deleted records' }),
  requested_by: Type.String(),
  requested_at: Timestamp,
  finished_at: NullableTimestamp,
})

export type PlatformRemovalPreview = Static<typeof PlatformRemovalPreview>
export type ModuleRemovalPreview = Static<typeof ModuleRemovalPreview>
export type Removal = Static<typeof Removal>
