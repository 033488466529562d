/** The commands for operators and tokens. They use the database directly, and can run next to a hub. */
import type { ApiToken, Operator, TokenScope } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { COMMAND_LINE, type Creator, isRole, ROLES, type Role } from '../../domain/auth/caller.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { createKey, TOKEN_PREFIX } from '../../domain/platform/api-key.ts'
import { found, HubError } from '../../errors.ts'
import { hashPassword } from '../../lib/crypto/password-hash.ts'
import { toSingleLine } from '../../lib/text/code-points.ts'
import { daysFrom, systemClock } from '../../lib/time/clock.ts'
import type { OperatorChange } from '../../storage/port/operator-store.ts'
import type { Storage } from '../../storage/port/storage.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { inviteOperator } from './invite-operator.ts'

const REQUESTER = { actor: 'command line', address: null }
const INVITATION_DAYS = 7

/** @throws HubError `not_found` */
export async function findOperator({ operators }: Storage, email: string): Promise<Operator> {
  const wanted = email.toLowerCase()
  const operator = (await operators.listOperators()).find((one) => one.email === wanted)
  return found(`operator ${email}`, operator)
}

/** One line per operator. */
export async function describeOperators({ operators }: Storage): Promise<string[]> {
  return (await operators.listOperators()).map((one) =>
    [
      one.email,
      one.role,
      ...(one.disabled_at === null ? [] : ['disabled']),
      ...(one.second_factor ? ['second factor'] : []),
      `last seen ${one.last_seen_at ?? 'never'}`,
    ].join('\t'),
  )
}

/** @returns the link of the invitation. @throws HubError `invalid_operator` */
export async function inviteByLink(
  storage: Storage,
  { email, role, site }: { email: string; role: Role; site: string },
): Promise<string> {
  const deps = { ...storage, clock: systemClock, sendMail: null, publicUrl: '' }
  const invitation = { email, role, days: INVITATION_DAYS, site, invitedBy: COMMAND_LINE }
  return (await inviteOperator(deps, invitation, REQUESTER)).link
}

/** @throws HubError `not_found`, `last_admin` */
export async function changeOperator(
  storage: Storage,
  email: string,
  change: { role?: Role; disabled?: boolean },
): Promise<void> {
  const { id, email: target } = await findOperator(storage, email)
  const audit = { ...REQUESTER, action: 'operator.change' as const, target, details: change }
  const outcome: OperatorChange = await storage.operators.changeOperator(id, change, audit)
  if (outcome === 'last_admin') throw new HubError('last_admin')
}

/** @returns the number of sessions. @throws HubError `not_found` */
export async function endSessions(storage: Storage, email: string): Promise<number> {
  const { id, email: target } = await findOperator(storage, email)
  return storage.operators.endSessions(id, null, {
    ...REQUESTER,
    action: 'session.end_all',
    target,
  })
}

/**
 * Sets a new password, which ends all sessions, and revokes the tokens unless they are kept.
 * @returns whether a second factor was removed.
 * @throws HubError `not_found`, `password_rejected`
 */
export async function resetPassword(
  storage: Storage,
  request: {
    email: string
    password: string
    removeSecondFactor: boolean
    keepTokens: boolean
    publicUrl: string
  },
): Promise<boolean> {
  const { operators } = storage
  const { password, removeSecondFactor, publicUrl } = request
  const { id, email: target, name } = await findOperator(storage, request.email)
  const reason = await findPasswordIssue(password, { email: target, name, publicUrl })
  if (reason !== null) throw new HubError('password_rejected', { reason })
  const audit = { ...REQUESTER, target }
  const hash = await hashPassword(password)
  await operators.setPassword(id, hash, { ...audit, action: 'account.reset_password' })
  if (!request.keepTokens) {
    await operators.revokeTokens(id, (revoked) => ({
      ...{ ...audit, action: 'token.revoke_all' },
      details: { revoked },
    }))
  }
  if (!removeSecondFactor) return false
  return operators.removeSecondFactor(id, { ...audit, action: 'second_factor.reset' })
}

/** Creates a token and stores its hash. @returns the token. */
export function createToken(
  { operators }: Storage,
  request: {
    name: string
    role: Role
    scope: TokenScope | null
    expiresInDays: number | null
  },
): Promise<string> {
  return createApiToken({ operators, clock: systemClock }, { ...request, actor: REQUESTER.actor })
}

/** @throws HubError `invalid_request` */
export function parseRole(text: string | undefined): Role {
  if (text !== undefined && isRole(text)) return text
  throw new HubError('invalid_request', { reason: `the role must be one of ${ROLES.join(', ')}` })
}

const MAX_NAME_LENGTH = 100

/**
 * Creates a token for a program. Only its hash is stored, so the token is returned only here.
 * @throws HubError `invalid_request` for a name that could pass for another text in a log, and those of `createToken`.
 */
export async function createOwnedToken(
  { operators }: Pick<FeatureDeps, 'operators'>,
  request: {
    name: string
    role: Role
    scope: TokenScope | null
    expiresAt: string | null
    creator: Creator
  },
  requester: Requester,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, scope, expiresAt, creator } = request
  if (name !== toSingleLine(name, MAX_NAME_LENGTH)) {
    const reason = `the name of a token is one line of at most ${MAX_NAME_LENGTH} characters, without invisible characters`
    throw new HubError('invalid_request', { reason })
  }
  const stored = await operators.createToken(
    {
      name,
      role,
      scope,
      token_hash: token.hash,
      hint: token.hint,
      expires_at: expiresAt,
      ...creator,
      created_by: requester.actor,
    },
    ({ id }) => ({
      ...requester,
      action: 'token.create',
      target: name,
      details: { token_id: id, role, ...(scope ? { scope } : {}), expires_at: expiresAt },
    }),
  )
  return { token: token.key, stored }
}

/** Creates a token without an owner, as the command line does. */
export async function createApiToken(
  deps: Pick<FeatureDeps, 'operators' | 'clock'>,
  request: {
    name: string
    role: Role
    /** Null by default: everything that the role allows. */
    scope?: TokenScope | null
    expiresInDays: number | null
    actor: string
  },
): Promise<string> {
  const { name, role, scope = null, expiresInDays, actor } = request
  const expiresAt = expiresInDays === null ? null : daysFrom(deps.clock.now(), expiresInDays)
  const created = await createOwnedToken(
    deps,
    { name, role, scope, expiresAt, creator: COMMAND_LINE },
    { actor, address: null },
  )
  return created.token
}
