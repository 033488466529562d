import { isRole, type Role } from '../../domain/auth/caller.ts'
import { isEmail } from '../../domain/auth/operator.ts'
import { findPasswordFault } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'

export type NewOperator = { email: string; name: string; password: string; role: Role }

const FIRST_OPERATOR = 'first operator'

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
 * Creates the installation's first operator, who may do everything. Of several who try at once, one
 * succeeds.
 * @throws HubError `operator_exists`, `invalid_operator`.
 */
export async function createFirstOperator(
  parts: { auth: Auth; operators: OperatorStore; publicUrl: string },
  operator: Omit<NewOperator, 'role'>,
): Promise<void> {
  const { operators } = parts
  if (!(await operators.claim(FIRST_OPERATOR, 60))) throw new HubError('operator_exists')
  try {
    if (await operators.hasOperators()) throw new HubError('operator_exists')
    await createOperator(parts, { ...operator, role: 'admin' })
  } finally {
    await operators.releaseClaim(FIRST_OPERATOR)
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
