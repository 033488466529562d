import { isRole, type Role } from '../../domain/auth/caller.ts'
import { isEmail } from '../../domain/auth/operator.ts'
import { findPasswordFault } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import type { LeaseStore } from '../../storage/port/lease-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'

export type NewOperator = { email: string; name: string; password: string; role: Role }

const LEASE = 'first operator'
const LEASE_SECONDS = 60

export type FirstOperatorDeps = {
  auth: Auth
  operators: Pick<OperatorStore, 'hasOperators'>
  leases: Pick<LeaseStore, 'acquire' | 'release'>
  /** The owner of leases. */
  processName: string
}

/**
 * Creates an operator who signs in with e-mail and password.
 * @throws HubError `invalid_operator`.
 */
export async function createOperator(
  parts: { auth: Auth; publicUrl: string },
  operator: NewOperator,
): Promise<void> {
  expectAcceptable(operator, parts.publicUrl)
  const { internalAdapter, password } = await parts.auth.$context
  const email = operator.email.toLowerCase()
  if (await internalAdapter.findUserByEmail(email)) {
    throw new HubError('invalid_operator', { reason: `there is one with the e-mail ${email}` })
  }
  // Before there is an operator: one without a password could not be made again.
  const hash = await password.hash(operator.password)
  const user = await internalAdapter.createUser(
    { email, name: operator.name || email, emailVerified: true, role: operator.role },
    { method: 'admin' },
  )
  await internalAdapter.linkAccount({
    userId: user.id,
    accountId: user.id,
    providerId: 'credential',
    password: hash,
  })
}

/**
 * Creates the installation's first operator, an admin. Of concurrent callers on all nodes, one succeeds.
 * @throws HubError `operator_exists`, `invalid_operator`.
 */
export async function createFirstOperator(
  deps: FirstOperatorDeps & { publicUrl: string },
  operator: Omit<NewOperator, 'role'>,
): Promise<void> {
  const { operators, leases, processName } = deps
  if (!(await leases.acquire(LEASE, processName, LEASE_SECONDS)))
    throw new HubError('operator_exists')
  try {
    if (await operators.hasOperators()) throw new HubError('operator_exists')
    await createOperator(deps, { ...operator, role: 'admin' })
  } finally {
    await leases.release(LEASE, processName)
  }
}

/** @throws HubError `invalid_operator` saying what is wrong. */
export function expectAcceptable(operator: NewOperator, publicUrl: string): void {
  const { email, password, role } = operator
  const reason = isEmail(email)
    ? (findPasswordFault(password, { ...operator, publicUrl }) ??
      (isRole(role) ? null : 'the role is unknown'))
    : 'the e-mail address is not one'
  if (reason !== null) throw new HubError('invalid_operator', { reason })
}
