import Type, { type Static } from 'typebox'
import { NullableString } from './common.ts'

/** The display name of a module, as shown in activity entries and responses to pushes. */
const Name = Type.String({ minLength: 1, maxLength: 512 })

/** One field of a module (specification 2.2). Descriptive members are optional, and null is as good as none. */
const ManifestField = Type.Object({
  key: Type.String({ minLength: 1 }),
  label: Type.Optional(NullableString),
  type: Type.Optional(NullableString),
  required: Type.Optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] })),
})

const ManifestModule = Type.Object({
  module_name: Name,
  record_type: Type.String({ minLength: 1 }),
  description: Type.Optional(NullableString),
  fields: Type.Array(ManifestField),
})

/** The response of `GET {source_base_url}/api/hub/manifest` (specification 2.2). */
export const ManifestResponse = Type.Object({
  success: Type.Literal(true),
  platform_name: Name,
  platform_title: Name,
  platform_description: Type.String(),
  modules: Type.Array(ManifestModule),
})

/** A field with defaults for its optional members. */
export const Field = Type.Object({
  key: Type.String(),
  label: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
  added_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When a later manifest first contained it; missing for fields of the first manifest',
    }),
  ),
})

/** A module with defaults for its optional members. */
export const Module = Type.Object({
  module_name: Type.String(),
  record_type: Type.String(),
  description: Type.String(),
  fields: Type.Array(Field),
})

export const Manifest = Type.Object({
  platform_name: Type.String(),
  platform_title: Type.String(),
  platform_description: Type.String(),
  modules: Type.Array(Module),
})

/** The response of `GET {source_base_url}/api/hub/ping` (specification 2.4). */
export const PingResponse = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  platform_name: Type.String({ minLength: 1 }),
})

export type ManifestResponse = Static<typeof ManifestResponse>
export type Field = Static<typeof Field>
export type Module = Static<typeof Module>
export type Manifest = Static<typeof Manifest>
export type PingResponse = Static<typeof PingResponse>
