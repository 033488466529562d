/** Operators, API tokens and sign-in. `features/auth/better-auth-names.ts` maps Better Auth's names to these. */
import type { TokenScope } from '@recordhub/protocol'
import type { Role } from '../../../domain/auth/caller.ts'
import { boolean, id, integer, table, text, timestamp } from './define-table.ts'

const role = () => text<Role>().check("role IN ('admin', 'operator', 'viewer')")

/** Better Auth writes these tables. */
const betterAuthTables = {
  operators: table({
    id: text().primaryKey(),
    name: text(),
    email: text().unique(),
    email_verified: boolean(),
    image: text().nullable(),
    role: role().default('viewer'),
    created_at: timestamp(),
    updated_at: timestamp(),
    disabled_at: text().nullable(),
    last_seen_at: text().nullable(),
    two_factor_enabled: boolean().default(false),
    /** Whether the operator gets the mails about alerts. Better Auth does not know this column. */
    alert_mails: boolean().default(false),
  }),

  operator_sessions: table(
    {
      id: text().primaryKey(),
      operator_id: text().references('operators.id', 'cascade'),
      token: text().unique(),
      expires_at: timestamp(),
      ip_address: text().nullable(),
      user_agent: text().nullable(),
      created_at: timestamp(),
      updated_at: timestamp(),
      /** Whether the operator has authenticated with more than a password. */
      strong: boolean().default(false),
    },
    { indexes: { operator_sessions_of_operator: { on: 'operator_id' } } },
  ),

  operator_accounts: table(
    {
      id: text().primaryKey(),
      operator_id: text().references('operators.id', 'cascade'),
      account_id: text(),
      provider_id: text(),
      access_token: text().nullable(),
      refresh_token: text().nullable(),
      id_token: text().nullable(),
      access_token_expires_at: timestamp().nullable(),
      refresh_token_expires_at: timestamp().nullable(),
      scope: text().nullable(),
      password: text().nullable(),
      created_at: timestamp(),
      updated_at: timestamp(),
    },
    { indexes: { operator_accounts_of_operator: { on: 'operator_id' } } },
  ),

  operator_verifications: table(
    {
      id: text().primaryKey(),
      identifier: text(),
      value: text(),
      expires_at: timestamp(),
      created_at: timestamp(),
      updated_at: timestamp(),
    },
    { indexes: { operator_verifications_by_identifier: { on: 'identifier' } } },
  ),

  operator_second_factors: table({
    id: text().primaryKey(),
    operator_id: text().unique().references('operators.id', 'cascade'),
    secret: text(),
    backup_codes: text(),
    verified: boolean().default(false),
    failed_verifications: integer().default(0),
    locked_until: timestamp().nullable(),
    /** The hashes of the codes used last, separated by spaces. Better Auth does not know this column. */
    used_codes: text().nullable(),
  }),

  operator_passkeys: table(
    {
      id: text().primaryKey(),
      operator_id: text().references('operators.id', 'cascade'),
      name: text().nullable(),
      public_key: text(),
      credential_id: text().unique(),
      counter: integer(),
      device_type: text(),
      backed_up: boolean(),
      transports: text().nullable(),
      aaguid: text().nullable(),
      created_at: timestamp().nullable(),
    },
    { indexes: { operator_passkeys_of_operator: { on: 'operator_id' } } },
  ),

  sign_in_limits: table({
    id: text().primaryKey(),
    key: text().unique(),
    count: integer(),
    last_request: integer(),
  }),
}

export const operatorTables = {
  ...betterAuthTables,

  api_tokens: table(
    {
      token_id: id(),
      name: text(),
      role: role(),
      token_hash: text().unique(),
      hint: text(),
      created_at: text(),
      expires_at: text().nullable(),
      revoked_at: text().nullable(),
      last_used_at: text().nullable(),
      /** Null for a token that the command line created. */
      operator_id: text().nullable().references('operators.id', 'set null'),
      created_by: text().default('command line'),
      /** The token that created this one, which is revoked with it. */
      created_by_token_id: integer().nullable().references('api_tokens.token_id', 'set null'),
      /** Null for a token that may do whatever its role may do. */
      scope: text<TokenScope>()
        .check("scope IN ('alerts', 'hub_keys', 'access', 'reverts')")
        .nullable(),
    },
    {
      indexes: {
        api_tokens_of_operator: { on: 'operator_id' },
        api_tokens_of_token: { on: 'created_by_token_id' },
      },
    },
  ),

  operator_invitations: table(
    {
      invitation_id: id(),
      email: text(),
      role: role(),
      token_hash: text().unique(),
      invited_by: text(),
      /** The operator who invited, and the token with which; null for none. */
      operator_id: text().nullable().references('operators.id', 'set null'),
      created_by_token_id: integer().nullable().references('api_tokens.token_id', 'set null'),
      created_at: text(),
      expires_at: text(),
      accepted_at: text().nullable(),
    },
    {
      indexes: {
        // At most one open invitation per e-mail address.
        operator_invitations_open: { unique: true, on: 'email', where: 'accepted_at IS NULL' },
      },
    },
  ),

  /** Settings that admins have changed in the hub, as text. */
  stored_settings: table({
    name: text().primaryKey(),
    value: text(),
    changed_at: text(),
    changed_by: text(),
  }),

  /** Failed sign-in attempts per subject. The ids rise: the lowest ones are the oldest subjects, which are deleted first. */
  login_attempts: table({
    login_attempt_id: id(),
    subject: text().unique(),
    attempts: integer(),
    last_attempt_at: text(),
  }),
}
