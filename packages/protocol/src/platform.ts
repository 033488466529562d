import Type, { type Static } from 'typebox'
import {
  ClosedObject,
  described,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  OneOf,
  RequestText,
  Timestamp,
} from './common.ts'
import { CONNECTION_TYPE } from './constants.ts'
import { Field, Manifest, Module, PingResponse } from './manifest.ts'
import { PasswordAgain } from './operator.ts'

export const PlatformStatus = OneOf('active', 'inactive')

/** Whether records whose data does not match the manifest are stored or rejected. */
export const DriftPolicy = OneOf('accept', 'reject')

/**
 * A module of a registered platform. `registered`: whether its records are received. `complete_at`: when a read last
 * verified that the hub has all of them.
 */
export const PlatformModule = Type.Object({
  ...Module.properties,
  added_at: NullableTimestamp,
  removed_at: NullableTimestamp,
  removed_fields: Type.Array(Type.Object({ ...Field.properties, removed_at: Timestamp })),
  drift_policy: DriftPolicy,
  registered: Type.Boolean(),
  complete_at: NullableTimestamp,
  replayable: Type.Integer({
    description: 'Pushes rejected because the module was not registered',
  }),
})

/** A module in a list of the modules of several platforms. */
export const ListedModule = Type.Object({
  platform_name: Type.String(),
  ...PlatformModule.properties,
})

export const HealthReason = Type.Object({
  code: OneOf(
    'pulls_failing',
    'pushes_rejected',
    'rejections_open',
    'modules_incomplete',
    'review_pending',
    'silent',
    'key_expiring',
    'certificate_expiring',
    'new',
    'inactive',
  ),
  message: Type.String(),
  since: NullableTimestamp,
  expires_at: Type.Optional(
    described(Timestamp, 'When the key or certificate expires, if it is about one'),
  ),
})

/** The health of a platform, and every reason for it, the most urgent first. */
export const PlatformHealth = Type.Object({
  state: OneOf('failing', 'needs_attention', 'healthy', 'new', 'inactive'),
  reasons: Type.Array(HealthReason),
})

/** A registered platform without its modules (specification 2.1). */
export const PlatformSummary = Type.Object({
  id: Type.Integer(),
  platform_name: Type.String(),
  platform_title: Type.String({ description: 'The title in the manifest' }),
  display_title: Type.String({
    description:
      'The title of the manifest; with the name in parentheses if another platform has the same title',
  }),
  platform_description: Type.String(),
  connection_type: Type.Literal(CONNECTION_TYPE),
  source_base_url: Type.String(),
  status: PlatformStatus,
  health: PlatformHealth,
  modules_registered: Type.Integer(),
  records: Type.Integer(),
  manifest_fetched_at: NullableTimestamp,
  latest_sync_at: described(NullableTimestamp, 'When a pull last read one of its modules'),
  last_push_at: described(
    NullableTimestamp,
    'When its last push was accepted, to the minute; a rejected push does not change it',
  ),
  hub_api_key_hint: NullableString,
  last_error: described(
    NullableString,
    'Why the last pull of a module failed, or how many records it rejected; null after a pull without either',
  ),
  missing_reviews: Type.Integer({
    description: 'Open reviews of missing records',
  }),
  rejected_pushes: Type.Integer({
    description: 'Rejected pushes that are neither replayed nor dismissed, counted up to 1,000',
  }),
})

export const Platform = Type.Object({
  ...PlatformSummary.properties,
  modules: Type.Array(PlatformModule),
})

/** A hub API key of a platform, masked. */
export const HubKey = Type.Object({
  hint: Type.String({ description: 'The beginning and the end of the key' }),
  created_at: Timestamp,
  expires_at: described(NullableTimestamp, 'When the key expires; null for the current key'),
  last_used_at: described(
    NullableTimestamp,
    'When a push with this key was last accepted, to the minute',
  ),
})

/** A platform with its details. */
export const PlatformDetails = Type.Object({
  ...Platform.properties,
  pulls_paused_until: described(
    NullableTimestamp,
    'The time until which scheduled pulls skip the platform after five or more failed pulls, unless it responds to their ping; null if they do not skip it',
  ),
  hub_keys: Type.Array(HubKey, { description: 'The valid keys, newest first' }),
})

export const Problem = Type.Object({ code: Type.String(), message: Type.String() })

const SourceUrl = Type.String({ minLength: 1, maxLength: 2000 })
const SourceKey = RequestText({ minLength: 1 })

export const ProbeRequest = ClosedObject({
  source_base_url: SourceUrl,
  source_api_key: SourceKey,
})

/** One check of a platform. */
export const ConnectionCheck = Type.Object({
  check: Type.String({
    description: '`reachable`, `ping`, `manifest`, `records/<record_type>` or `search`',
  }),
  ok: Type.Boolean(),
  code: NullableString,
  message: Type.String(),
  cause: Type.String({ description: 'The likely cause; empty if the check passed' }),
  fix: Type.String({ description: 'What to do; empty if the check passed' }),
  suggested_base_url: described(
    NullableString,
    'The base URL to which the platform redirected the request; null if unknown',
  ),
  total: described(
    NullableInteger,
    'The number of records that a records endpoint reports; null if unknown',
  ),
  took_ms: described(
    NullableInteger,
    'Until the response of the endpoint was read, or the request failed; null if the check sent no request of its own',
  ),
})

const checkEverything = {
  check_everything: Type.Optional(
    Type.Boolean({
      description:
        'Whether the records endpoints and the search endpoint are called too; only ping and manifest are called otherwise',
    }),
  ),
}

/** The body of `POST /api/v1/platforms/probe`. */
export const ConnectionProbeRequest = ClosedObject({
  ...ProbeRequest.properties,
  ...checkEverything,
  only_ping: Type.Optional(
    Type.Boolean({
      description: 'Whether only ping is called; `check_everything` has no effect with it',
    }),
  ),
})

/** The body of `POST /api/v1/platforms/{id}/test`. */
export const ConnectionTestRequest = ClosedObject(checkEverything)

/** `success` is true when there are no problems, whatever the records and search endpoints return. */
export const ProbeResponse = Type.Object({
  success: Type.Boolean(),
  source_base_url: described(
    NullableString,
    'The base URL that the platform responded at: the one given, or the same without a path such as /api at its end; null if it could not be reached',
  ),
  ping: Type.Union([PingResponse, Type.Null()]),
  manifest: Type.Union([Manifest, Type.Null()]),
  problems: Type.Array(Problem),
  checks: Type.Array(ConnectionCheck),
})

/** `success` is true when every check is ok. */
export const ConnectionTest = Type.Object({
  success: Type.Boolean(),
  checks: Type.Array(ConnectionCheck),
})

export const RevealRequest = ClosedObject(PasswordAgain)

const MAX_GRACE_SECONDS = 30 * 24 * 3600

export const RotateRequest = ClosedObject({
  grace_seconds: Type.Integer({
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    description: 'How long the current keys stay valid; 0 revokes them immediately',
  }),
  ...PasswordAgain,
})

export const HubKeyResponse = Type.Object({
  success: Type.Literal(true),
  hub_api_key: Type.String(),
})

export const RegisterRequest = ClosedObject({
  ...ProbeRequest.properties,
  record_types: Type.Array(RequestText(), { minItems: 1 }),
})

/**
 * `record_types`: the modules to receive; the records of other modules are not deleted. A new address or source API key is
 * tested before it is stored.
 */
export const PlatformChange = Type.Object(
  {
    source_base_url: Type.Optional(SourceUrl),
    source_api_key: Type.Optional(SourceKey),
    status: Type.Optional(PlatformStatus),
    record_types: Type.Optional(Type.Array(RequestText())),
  },
  { additionalProperties: false, minProperties: 1 },
)

/** `platform_name`: the name that the manifest of the platform has now. */
export const PlatformRename = ClosedObject({ platform_name: RequestText({ minLength: 1 }) })

export type DriftPolicy = Static<typeof DriftPolicy>
export type PlatformStatus = Static<typeof PlatformStatus>
export type ListedModule = Static<typeof ListedModule>
export type PlatformModule = Static<typeof PlatformModule>
export type HealthReason = Static<typeof HealthReason>
export type PlatformHealth = Static<typeof PlatformHealth>
export type PlatformSummary = Static<typeof PlatformSummary>
export type Platform = Static<typeof Platform>
export type HubKey = Static<typeof HubKey>
export type PlatformDetails = Static<typeof PlatformDetails>
export type PlatformChange = Static<typeof PlatformChange>
export type ConnectionCheck = Static<typeof ConnectionCheck>
export type ConnectionTest = Static<typeof ConnectionTest>
export type Problem = Static<typeof Problem>
export type ProbeResponse = Static<typeof ProbeResponse>
export type RegisterRequest = Static<typeof RegisterRequest>
