/** Tokens for programs, as the command line makes them. */
import { isRole, ROLES, type Role } from '../domain/auth/caller.ts'
import { HubError } from '../errors.ts'
import { createApiToken } from '../features/auth/api-token.ts'
import { systemClock } from '../lib/time/clock.ts'
import type { Storage } from '../storage/port/storage.ts'

export type TokenRequest = { name: string; role: Role; expiresInDays: number | null }

/**
 * Reads what a person typed to make a token.
 * @throws HubError `invalid_request` saying what is wrong.
 */
export function readTokenRequest(typed: {
  name: string | undefined
  role: string
  expiresInDays: string | undefined
}): TokenRequest {
  const { name, role, expiresInDays } = typed
  const fail = (reason: string) => new HubError('invalid_request', { reason })
  if (!name) throw fail('say what the token is for with --name')
  if (!isRole(role)) throw fail(`--role must be one of ${ROLES.join(', ')}`)
  if (expiresInDays !== undefined && !/^[1-9]\d{0,4}$/.test(expiresInDays)) {
    throw fail('--expires-in-days must be a number of days')
  }
  return { name, role, expiresInDays: expiresInDays === undefined ? null : Number(expiresInDays) }
}

/** Makes a token for a program, which is shown this once. */
export function issueToken(storage: Storage, request: TokenRequest): Promise<string> {
  const parts = { operators: storage.operators, clock: systemClock }
  return createApiToken(parts, { ...request, actor: 'command line' })
}
