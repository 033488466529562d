import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/** The role of an operator or API token: read (viewer), operate (operator), administer (admin). */
export const Role = OneOf('viewer', 'operator', 'admin')

/** An operator account. */
export const Operator = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  created_at: Timestamp,
  disabled_at: NullableTimestamp,
  last_seen_at: NullableTimestamp,
  second_factor: Type.Boolean(),
  passkeys: Type.Integer(),
  has_password: Type.Boolean(),
  single_sign_on: Type.Boolean(),
  sessions: Type.Integer(),
  alert_mails: Type.Boolean({ description: 'Whether the operator gets the mails about alerts' }),
})

/** The name of an operator, by the e-mail address that is the actor in logs. */
export const OperatorName = Type.Pick(Operator, ['email', 'name'])

/** A session of an operator; `current` is the session of the request. */
export const OperatorSession = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  address: NullableString,
  user_agent: NullableString,
  current: Type.Boolean(),
})

/** An invitation to become an operator. */
export const Invitation = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: Role,
  invited_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
})

/**
 * The step that a session opened with only a password must complete if the hub requires a second factor. Null for a
 * session with full access.
 */
export const RequiredSecondFactorStep = Type.Union([OneOf('set_up', 'sign_in'), Type.Null()])

const { id, email, name, role, has_password, second_factor, passkeys, single_sign_on } =
  Operator.properties

/** The signed-in operator, the sign-in methods of the account, and whether alerts are mailed. */
export const Account = Type.Object({
  ...{ id, email, name, role, has_password, second_factor, passkeys, single_sign_on },
  alert_mails: Operator.properties.alert_mails,
  mail_set_up: Type.Boolean({ description: 'Whether the hub has a mail server' }),
})

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: NullableTimestamp,
  /** Whether the passkey is synced between devices. */
  synced: Type.Boolean(),
})

export const TOKEN_SCOPES = ['alerts', 'hub_keys', 'access', 'reverts'] as const

/**
 * Restricts a token to a few routes. `alerts`: reading alerts. `hub_keys`: revealing, rotating and ending hub API keys.
 * `access`: tokens, invitations, operators and settings. `reverts`: planning, starting and cancelling reverts. A token
 * without a scope can neither reveal a key, nor give access, nor start a revert.
 */
export const TokenScope = OneOf(...TOKEN_SCOPES)

/** A member of requests that need a confirmation. */
export const PasswordAgain = {
  password: Type.Optional(
    Type.String({
      maxLength: 1000,
      description:
        'Your password. Omitted by operators without one, who must have signed in within the last 15 minutes, and by tokens',
    }),
  ),
}

/** An API token without its secret. */
export const ApiToken = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  role: Role,
  scope: Type.Unsafe<TokenScope | null>({
    type: ['string', 'null'],
    enum: [...TOKEN_SCOPES, null],
    description:
      '`alerts`: only for reading alerts. `hub_keys`: only for revealing, rotating and ending hub API keys. `access`: only for tokens, invitations, operators and settings. `reverts`: only for planning, starting and cancelling reverts. Null: for everything else that the role allows',
  }),
  hint: Type.String(),
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp,
})

/** An entry of the audit log. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  actor: Type.String(),
  action: Type.String(),
  target: NullableString,
  address: NullableString,
  details: Type.Record(Type.String(), Type.Unknown()),
})

/** The sign-in methods, which are public. */
export const SignInOptions = Type.Object({
  passkeys: Type.Boolean(),
  /** The labels of the buttons. */
  single_sign_on: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
})

/** The settings of single sign-on, without the client secret. */
export const SingleSignOn = Type.Object({
  configured: Type.Boolean(),
  name: NullableString,
  issuer: NullableString,
  client_id: NullableString,
  /** The redirect URL to configure at the provider. */
  redirect_uri: NullableString,
  default_role: NullableString,
  domains: Type.Array(Type.String()),
})

/** A setting that can be changed while the hub runs. Values are texts, as in environment variables. */
export const Setting = Type.Object({
  name: Type.String({ description: 'The name of the environment variable' }),
  value: Type.String(),
  default: Type.String(),
  help: Type.String(),
  source: OneOf('environment', 'stored', 'default'),
  changed_at: NullableTimestamp,
  changed_by: NullableString,
})

/** The hub itself. A retention of 0 days or entries means that nothing is deleted. */
export const About = Type.Object({
  version: Type.String(),
  public_url: Type.String({
    description: 'The address of the hub for platforms (HUB_PUBLIC_URL); empty if it is not set',
  }),
  node: Type.String(),
  node_version: Type.String(),
  started_at: Timestamp,
  healthy: Type.Boolean(),
  engine: OneOf('sqlite', 'postgres'),
  engine_version: Type.String(),
  bytes: Type.Integer(),
  disk_free_bytes: NullableInteger,
  broadcasting: Type.Boolean(),
  time_zone: Type.String(),
  retention: Type.Object({
    days: Type.Record(Type.String(), Type.Integer()),
    activity_entries: Type.Integer(),
  }),
})

export type Role = Static<typeof Role>
export type Operator = Static<typeof Operator>
export type OperatorName = Static<typeof OperatorName>
export type OperatorSession = Static<typeof OperatorSession>
export type Invitation = Static<typeof Invitation>
export type RequiredSecondFactorStep = Static<typeof RequiredSecondFactorStep>
export type Account = Static<typeof Account>
export type Passkey = Static<typeof Passkey>
export type TokenScope = Static<typeof TokenScope>
export type ApiToken = Static<typeof ApiToken>
export type AuditEntry = Static<typeof AuditEntry>
export type SignInOptions = Static<typeof SignInOptions>
export type SingleSignOn = Static<typeof SingleSignOn>
export type Setting = Static<typeof Setting>
export type About = Static<typeof About>
