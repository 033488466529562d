import Type, { type Static } from 'typebox'
import { NullableString, NullableTimestamp, OneOf } from './common.ts'
import { CONNECTION_TYPE } from './constants.ts'
import { Manifest, Module, PingAnswer } from './manifest.ts'

export const PlatformStatus = OneOf('active', 'inactive')

/** A module of a registered platform; `registered` says whether its records are received. */
export const PlatformModule = Type.Object({ ...Module.properties, registered: Type.Boolean() })

/** A registered platform without its modules (specification 2.1). */
export const PlatformSummary = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  display_title: Type.String(),
  platform_description: Type.String(),
  connection_type: Type.Literal(CONNECTION_TYPE),
  source_base_url: Type.String(),
  status: PlatformStatus,
  modules_registered: Type.Integer(),
  records: Type.Integer(),
  manifest_fetched_at: NullableTimestamp,
  latest_sync_at: NullableTimestamp,
  hub_api_key_hint: NullableString,
  last_error: NullableString,
  missing_reviews: Type.Integer({
    description: 'Questions about missing records without an answer',
  }),
})

export const Platform = Type.Object({
  ...PlatformSummary.properties,
  modules: Type.Array(PlatformModule),
})

export const Problem = Type.Object({ code: Type.String(), message: Type.String() })

export const ProbeRequest = Type.Object(
  {
    source_base_url: Type.String({ minLength: 1 }),
    source_api_key: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
)

/** `success` is true when there are no problems. */
export const ProbeAnswer = Type.Object({
  success: Type.Boolean(),
  ping: Type.Union([PingAnswer, Type.Null()]),
  manifest: Type.Union([Manifest, Type.Null()]),
  problems: Type.Array(Problem),
})

export const RegisterRequest = Type.Object(
  {
    ...ProbeRequest.properties,
    record_types: Type.Array(Type.String(), { minItems: 1, uniqueItems: true }),
  },
  { additionalProperties: false },
)

/** `record_types`: the modules to receive; the records of others stay. */
export const PlatformChange = Type.Object(
  {
    status: Type.Optional(PlatformStatus),
    record_types: Type.Optional(Type.Array(Type.String(), { uniqueItems: true })),
  },
  { additionalProperties: false, minProperties: 1 },
)

export type PlatformStatus = Static<typeof PlatformStatus>
export type PlatformModule = Static<typeof PlatformModule>
export type PlatformSummary = Static<typeof PlatformSummary>
export type Platform = Static<typeof Platform>
export type Problem = Static<typeof Problem>
export type ProbeAnswer = Static<typeof ProbeAnswer>
export type RegisterRequest = Static<typeof RegisterRequest>
