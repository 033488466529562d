import Type, { type Static } from 'typebox'
import { ClosedObject, NullableTimestamp, OneOf, Timestamp } from './common.ts'
import { DriftPolicy, Platform } from './platform.ts'

const recordType = { record_type: Type.String() }
const changed = (members: string[]) => ({
  member: Type.String({ enum: members }),
  before: Type.Union([Type.String(), Type.Boolean()]),
  after: Type.Union([Type.String(), Type.Boolean()]),
})
const field = { ...recordType, key: Type.String() }

/** One difference between a manifest and the previous one. */
export const ManifestChange = Type.Union([
  Type.Object({
    change: OneOf('module_added', 'module_removed'),
    ...recordType,
    module_name: Type.String(),
  }),
  Type.Object({ change: OneOf('field_added', 'field_removed'), ...field, label: Type.String() }),
  Type.Object({
    change: Type.Literal('platform_changed'),
    ...changed(['platform_title', 'platform_description']),
  }),
  Type.Object({
    change: Type.Literal('module_changed'),
    ...recordType,
    ...changed(['module_name', 'description']),
  }),
  Type.Object({
    change: Type.Literal('field_changed'),
    ...field,
    ...changed(['label', 'type', 'required']),
  }),
])

export const ManifestRefreshResponse = Type.Object({
  success: Type.Literal(true),
  platform: Platform,
  changes: Type.Array(ManifestChange),
})

const DriftingKey = Type.Object({
  key: Type.String(),
  count: Type.Integer({ description: 'The number of new or changed records with this key' }),
  first_at: Timestamp,
  last_at: Timestamp,
})

/** How new and changed records of a module differ from its manifest. */
export const ModuleDrift = Type.Object({
  ...recordType,
  module_name: Type.String(),
  drift_policy: DriftPolicy,
  since: NullableTimestamp,
  unknown: Type.Array(DriftingKey, { description: 'Keys that are not in the manifest' }),
  absent: Type.Array(DriftingKey, { description: 'Required keys that were missing' }),
  wrong_type: Type.Array(DriftingKey, {
    description: 'Keys whose value had another type than the manifest declares',
  }),
})

export const DriftResponse = Type.Object({
  success: Type.Literal(true),
  manifest_fetched_at: NullableTimestamp,
  manifest_changes: Type.Array(
    Type.Object({ at: Timestamp, changes: Type.Array(ManifestChange) }),
    { description: 'Newest first' },
  ),
  modules: Type.Array(ModuleDrift),
})

export const ModuleChange = ClosedObject({ drift_policy: DriftPolicy })

export type ManifestChange = Static<typeof ManifestChange>
export type ModuleDrift = Static<typeof ModuleDrift>
export type DriftResponse = Static<typeof DriftResponse>
