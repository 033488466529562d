import { isRole, type Role } from '../../domain/auth/caller.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import { isEmail } from '../../lib/text/email.ts'
import type { BetterAuth } from './better-auth.ts'

export type NewOperator = { email: string; name: string; password: string; role: Role }

/**
 * Creates an operator who signs in with e-mail address and password.
 * @throws HubError `invalid_operator`.
 */
export async function createOperator(
  deps: { betterAuth: BetterAuth; publicUrl: string },
  operator: NewOperator,
): Promise<void> {
  await assertValidOperator(operator, deps.publicUrl)
  const { internalAdapter, password } = await deps.betterAuth.context()
  const email = operator.email.toLowerCase()
  if (await internalAdapter.findUserByEmail(email)) {
    throw new HubError('invalid_operator', { reason: `the e-mail address ${email} is taken` })
  }
  // Hashed first: an operator who was created without a password could not be created again.
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

/** @throws HubError `invalid_operator` with the reason. */
export async function assertValidOperator(operator: NewOperator, publicUrl: string): Promise<void> {
  const { email, password, role } = operator
  const reason = isEmail(email)
    ? ((await findPasswordIssue(password, { ...operator, publicUrl })) ??
      (isRole(role) ? null : 'the role is unknown'))
    : 'the e-mail address is not valid'
  if (reason !== null) throw new HubError('invalid_operator', { reason })
}
