import type {
  ConfirmedAuditAction,
  RequiredSecondFactorStep,
  TokenScope,
} from '@recordhub/protocol'

/** The roles in ascending order: a viewer reads, an operator also manages platforms and pulls, an admin does everything. */
export const ROLES = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The caller of a request: an operator with a session, or a program with a token. */
export type Caller =
  | {
      kind: 'operator'
      id: string
      email: string
      name: string
      role: Role
      sessionId: string
      /** The step with a second factor that the session requires before it may be used; null for none. */
      secondFactorStep: RequiredSecondFactorStep
    }
  | {
      kind: 'program'
      tokenId: number
      name: string
      role: Role
      /** Null: the token may do everything that its role allows. */
      scope: TokenScope | null
      expiresAt: string | null
      /** The operator who owns the token; null for a token of the command line. */
      operatorId: string | null
    }

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}

/** Whether a caller has a role or a higher one. */
export function hasRole(caller: Caller, role: Role): boolean {
  return includesRole(caller.role, role)
}

/** Each role includes the permissions of the lower ones. */
export function includesRole(actual: Role, required: Role): boolean {
  return ROLES.indexOf(actual) >= ROLES.indexOf(required)
}

/**
 * Identifies a caller in counters and as an owner: all sessions and tokens of an operator are one caller, so that more
 * tokens give no more of a limit. A token of the command line is one of its own.
 */
export function keyOfCaller(caller: Caller): string {
  const { operator_id } = creatorOf(caller)
  if (operator_id !== null || caller.kind === 'operator') return `operator ${operator_id}`
  return `token ${caller.tokenId}`
}

/** The name of a caller in the activity and the audit log. Names of tokens are not unique, their ids are. */
export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'operator' ? caller.email : `token ${caller.tokenId} (${caller.name})`
}

/** Who gave an access: it ends with the access of the creator. Both are null for the command line. */
export type Creator = {
  /** The operator, also if a token of the operator gave the access. */
  operator_id: string | null
  created_by_token_id: number | null
}

export const COMMAND_LINE: Creator = { operator_id: null, created_by_token_id: null }

export function creatorOf(caller: Caller): Creator {
  return caller.kind === 'operator'
    ? { operator_id: caller.id, created_by_token_id: null }
    : { operator_id: caller.operatorId, created_by_token_id: caller.tokenId }
}

/** The scopes of tokens that may reveal a key, give access or start a revert. Only an operator can give them, with the password. */
export const CONFIRMED_SCOPES = [
  'hub_keys',
  'access',
  'reverts',
] as const satisfies readonly TokenScope[]

/** An action that reveals a key, gives access or starts a revert. */
export type ConfirmedAction = {
  /** As in the audit log; a rejected attempt is recorded as `<action>_rejected`. */
  action: ConfirmedAuditAction
  target: string | null
  /** The scope that a token needs for it. */
  scope: (typeof CONFIRMED_SCOPES)[number]
  /** As the operator entered it; undefined for none. */
  password: string | undefined
}
