/** The tables of operators and tokens as Kysely sees them. */
import type { Generated } from 'kysely'
import type { Role } from '../../../domain/auth/caller.ts'

/** Of Better Auth's tables only what the hub itself reads; their times and flags have the engine's own types. */
export type OperatorsTable = {
  id: string
  email: string
  name: string
  role: Role
  created_at: string | Date
  disabled_at: string | null
  last_seen_at: string | null
  two_factor_enabled: number | boolean
}

export type OperatorSessionsTable = {
  id: string
  operator_id: string
  expires_at: string | Date
  ip_address: string | null
  user_agent: string | null
  created_at: string | Date
  updated_at: string | Date
  strong: number | boolean
}

export type OperatorAccountsTable = {
  id: string
  operator_id: string
  account_id: string
  provider_id: string
  password: string | null
  created_at: string | Date
  updated_at: string | Date
}

export type OperatorPasskeysTable = { id: string; operator_id: string }

export type OperatorSecondFactorsTable = {
  id: string
  operator_id: string
  secret: string
  backup_codes: string
  taken_code: string | null
}

export type OperatorVerificationsTable = { id: string }

export type OperatorInvitationsTable = {
  invitation_id: Generated<number>
  email: string
  role: Role
  token_hash: string
  invited_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
}

export type ApiTokensTable = {
  token_id: Generated<number>
  name: string
  role: Role
  token_hash: string
  hint: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  operator_id: string | null
  created_by: Generated<string>
}

export type GuessesTable = {
  guess_id: Generated<number>
  subject: string
  tries: number
  at: string
}
