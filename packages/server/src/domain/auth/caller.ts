import type { SecondFactorWanted } from '@recordhub/protocol'

/** What a person or a program may do: read (viewer), work (operator), everything (admin). */
export const ROLES = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** Who is behind a request: an operator with a session, or a program with a token. */
export type Caller =
  | {
      kind: 'operator'
      id: string
      email: string
      name: string
      role: Role
      sessionId: string
      wanted: SecondFactorWanted
    }
  | {
      kind: 'program'
      tokenId: number
      name: string
      role: Role
      expiresAt: string | null
      /** Whose token it is; null for nobody's. */
      operatorId: string | null
    }

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}

/** Whether somebody may do what takes a role. */
export function mayActAs(caller: Caller, role: Role): boolean {
  return includesRole(caller.role, role)
}

/** Each role may do what the ones before it may. */
export function includesRole(held: Role, wanted: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(wanted)
}

/**
 * Tells callers apart, also as the owner of what is stored: all sessions of an operator are one, and each
 * token is one of its own.
 */
export function keyOfCaller(caller: Caller): string {
  return caller.kind === 'operator' ? `operator ${caller.id}` : `token ${caller.tokenId}`
}

/** How the activity and the audit name a caller. */
export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'operator' ? caller.email : `token ${caller.name}`
}
