/** What the command line does to operators, beside a running hub, for whoever is locked out. */
import type { Operator } from '@recordhub/protocol'
import { isRole, ROLES, type Role } from '../domain/auth/caller.ts'
import { findPasswordFault } from '../domain/auth/password.ts'
import { HubError } from '../errors.ts'
import { inviteOperator } from '../features/operators/invite-operator.ts'
import { hashPassword } from '../lib/crypto/password-hash.ts'
import { systemClock } from '../lib/time/clock.ts'
import type { OperatorChange } from '../storage/port/operator-store.ts'
import type { Storage } from '../storage/port/storage.ts'

const BY = { actor: 'command line', address: null }
const INVITED_DAYS = 7

/** @throws HubError `not_found` */
export async function findOperator({ operators }: Storage, email: string): Promise<Operator> {
  const sought = email.toLowerCase()
  const found = (await operators.listOperators()).find((one) => one.email === sought)
  if (!found) throw new HubError('not_found', { what: `operator ${email}` })
  return found
}

/** One line for each operator. */
export async function describeOperators({ operators }: Storage): Promise<string[]> {
  return (await operators.listOperators()).map((one) =>
    [
      one.email,
      one.role,
      ...(one.disabled_at === null ? [] : ['disabled']),
      ...(one.second_factor ? ['second factor'] : []),
      `seen ${one.last_seen_at ?? 'never'}`,
    ].join('\t'),
  )
}

/** @returns the link, which is shown this once. @throws HubError `invalid_operator` */
export async function inviteByLink(
  storage: Storage,
  { email, role, site }: { email: string; role: Role; site: string },
): Promise<string> {
  const parts = { ...storage, clock: systemClock, sendMail: null }
  return (await inviteOperator(parts, { email, role, days: INVITED_DAYS, site }, BY)).link
}

/** @throws HubError `not_found`, `last_admin` */
export async function changeOperator(
  storage: Storage,
  email: string,
  change: { role?: Role; disabled?: boolean },
): Promise<void> {
  const { id, email: target } = await findOperator(storage, email)
  const audit = { ...BY, action: 'operator.change', target, details: change }
  const outcome: OperatorChange = await storage.operators.changeOperator(id, change, audit)
  if (outcome === 'last_admin') throw new HubError('last_admin')
}

/** @returns how many there were. @throws HubError `not_found` */
export async function endSessions(storage: Storage, email: string): Promise<number> {
  const { id, email: target } = await findOperator(storage, email)
  return storage.operators.endSessions(id, null, { ...BY, action: 'session.end_all', target })
}

/**
 * Sets a new password, which ends all sessions.
 * @returns whether a second factor was taken away, which happens only where that was asked for.
 * @throws HubError `not_found`, `password_refused`
 */
export async function resetPassword(
  storage: Storage,
  request: { email: string; password: string; removeSecondFactor: boolean; publicUrl: string },
): Promise<boolean> {
  const { operators } = storage
  const { password, removeSecondFactor, publicUrl } = request
  const { id, email: target, name } = await findOperator(storage, request.email)
  const reason = findPasswordFault(password, { email: target, name, publicUrl })
  if (reason !== null) throw new HubError('password_refused', { reason })
  const audit = { ...BY, target }
  const hash = await hashPassword(password)
  await operators.setPassword(id, hash, { ...audit, action: 'account.reset_password' })
  if (!removeSecondFactor) return false
  return operators.removeSecondFactor(id, { ...audit, action: 'second_factor.reset' })
}

/** @throws HubError `invalid_request` */
export function readRole(text: string | undefined): Role {
  if (text !== undefined && isRole(text)) return text
  throw new HubError('invalid_request', { reason: `the role must be one of ${ROLES.join(', ')}` })
}
