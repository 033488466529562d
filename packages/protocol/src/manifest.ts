import Type, { type Static } from 'typebox'

/** Each line of the activity says it, and each answer to a push. */
const Name = Type.String({ minLength: 1, maxLength: 512 })

/** One field of a module (specification 2.2). What only describes may be left out. */
const ManifestField = Type.Object({
  key: Type.String({ minLength: 1 }),
  label: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  required: Type.Optional(Type.Boolean()),
})

const ManifestModule = Type.Object({
  module_name: Name,
  record_type: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  fields: Type.Array(ManifestField),
})

/** What `GET {source_base_url}/api/hub/manifest` answers (specification 2.2). */
export const ManifestAnswer = Type.Object({
  success: Type.Literal(true),
  platform_name: Name,
  platform_title: Name,
  platform_description: Type.String(),
  modules: Type.Array(ManifestModule),
})

/** A field, with the defaults of what the manifest left out filled in. */
export const Field = Type.Object({
  key: Type.String(),
  label: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
  added_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When a later manifest first named it; left out for those of the first one',
    }),
  ),
})

/** A module as its platform's manifest describes it. */
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

/** What `GET {source_base_url}/api/hub/ping` answers (specification 2.4). */
export const PingAnswer = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  platform_name: Type.String({ minLength: 1 }),
})

export type ManifestAnswer = Static<typeof ManifestAnswer>
export type Field = Static<typeof Field>
export type Module = Static<typeof Module>
export type Manifest = Static<typeof Manifest>
export type PingAnswer = Static<typeof PingAnswer>
