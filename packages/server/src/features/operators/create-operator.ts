import { z } from 'zod'
import { isRole, type Role } from '../../domain/caller.ts'
import { HubError } from '../../errors.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import { type Auth, MIN_PASSWORD_LENGTH } from './auth.ts'

export type NewOperator = { email: string; name: string; password: string; role: Role }

/** As Better Auth judges at sign-in. */
const EMAIL = z.email()
const FIRST_OPERATOR = 'first operator'

/**
 * Creates an operator who signs in with e-mail and password.
 * @throws HubError `invalid_operator`.
 */
export async function createOperator(parts: { auth: Auth }, operator: NewOperator): Promise<void> {
  const reason = findFault(operator)
  if (reason !== null) throw new HubError('invalid_operator', { reason })
  const { internalAdapter, password } = await parts.auth.$context
  const email = operator.email.toLowerCase()
  if (await internalAdapter.findUserByEmail(email)) {
    throw new HubError('invalid_operator', { reason: `there is one with the e-mail ${email}` })
  }
  const user = await internalAdapter.createUser(
    { email, name: operator.name || email, emailVerified: true, role: operator.role },
    { method: 'admin' },
  )
  await internalAdapter.linkAccount({
    userId: user.id,
    accountId: user.id,
    providerId: 'credential',
    password: await password.hash(operator.password),
  })
}

/**
 * Creates the installation's first operator, who may do everything. Of several who try at once, one
 * succeeds.
 * @throws HubError `operator_exists`, `invalid_operator`.
 */
export async function createFirstOperator(
  parts: { auth: Auth; operators: OperatorStore },
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

function findFault({ email, password, role }: NewOperator): string | null {
  if (!EMAIL.safeParse(email).success) return 'the e-mail address is not one'
  if (password.length < MIN_PASSWORD_LENGTH) {
    return `the password needs ${MIN_PASSWORD_LENGTH} characters or more`
  }
  if (password.length > 256) return 'the password is longer than 256 characters'
  return isRole(role) ? null : 'the role is unknown'
}
