import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, NullableTimestamp, OneOf, Timestamp } from './common.ts'

/** What a person or a program may do: read (viewer), work (operator), everything (admin). */
export const Role = OneOf('viewer', 'operator', 'admin')

/** A person who signs in. */
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
})

/** The name of an operator, by the e-mail address that logs and lists show as the actor. */
export const OperatorName = Type.Pick(Operator, ['email', 'name'])

/** One browser in which somebody is signed in; `current` is the one that asks. */
export const OperatorSession = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  address: NullableString,
  user_agent: NullableString,
  current: Type.Boolean(),
})

/** Somebody who may become an operator by a link. */
export const Invitation = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  role: Role,
  invited_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
})

/**
 * Where the hub takes more than a password, and a session came by one alone: what opens it. Null where it is
 * open.
 */
export const SecondFactorWanted = Type.Union([OneOf('set_up', 'sign_in'), Type.Null()])

/** Who one is, and how one can sign in. */
export const Account = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  has_password: Type.Boolean(),
  second_factor: Type.Boolean(),
  passkeys: Type.Integer(),
  single_sign_on: Type.Boolean(),
})

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: NullableTimestamp,
  /** Kept by a password manager, and so on more than one device. */
  synced: Type.Boolean(),
})

/** A token for programs, without the token. */
export const ApiToken = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  role: Role,
  hint: Type.String(),
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  last_used_at: NullableTimestamp,
})

/** Who did what to what, when and from where. */
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Timestamp,
  actor: Type.String(),
  action: Type.String(),
  target: NullableString,
  address: NullableString,
  details: Type.Record(Type.String(), Type.Unknown()),
})

/** What the sign-in page offers; known to anybody. */
export const SignInOptions = Type.Object({
  passkeys: Type.Boolean(),
  /** The names on the buttons. */
  single_sign_on: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
})

/** How single sign-on is set up; the client's secret is in no answer. */
export const SingleSignOn = Type.Object({
  configured: Type.Boolean(),
  name: NullableString,
  issuer: NullableString,
  client_id: NullableString,
  /** What to enter at the provider. */
  redirect_uri: NullableString,
  default_role: NullableString,
  domains: Type.Array(Type.String()),
})

/** The hub itself. Days and lines of retention are 0 where something is kept for ever. */
export const About = Type.Object({
  version: Type.String(),
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
    activity_lines: Type.Integer(),
  }),
})

export type Role = Static<typeof Role>
export type Operator = Static<typeof Operator>
export type OperatorName = Static<typeof OperatorName>
export type OperatorSession = Static<typeof OperatorSession>
export type Invitation = Static<typeof Invitation>
export type SecondFactorWanted = Static<typeof SecondFactorWanted>
export type Account = Static<typeof Account>
export type Passkey = Static<typeof Passkey>
export type ApiToken = Static<typeof ApiToken>
export type AuditEntry = Static<typeof AuditEntry>
export type SignInOptions = Static<typeof SignInOptions>
export type SingleSignOn = Static<typeof SingleSignOn>
export type About = Static<typeof About>
