import { isRole, type Role } from '../../domain/auth/caller.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import { isEmail } from '../../lib/text/email.ts'
import type { NewStoredOperator } from '../../storage/port/operator-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { BetterAuth } from './better-auth.ts'

export type NewOperator = { email: string; name: string; password: string; role: Role }

/**
 * Creates an operator who signs in with e-mail address and password.
 * @param invitationId the invitation that the operator accepts; null for none.
 * @throws HubError `invalid_operator`, `invitation_invalid`. An invitation is then still open.
 */
export async function createOperator(
  deps: Pick<FeatureDeps, 'operators' | 'publicUrl'> & { betterAuth: BetterAuth },
  operator: NewOperator,
  invitationId: number | null = null,
): Promise<void> {
  const stored = await prepareOperator(deps, operator)
  const outcome = await deps.operators.createOperator(stored, invitationId)
  if (outcome === 'invitation_invalid') throw new HubError('invitation_invalid')
  if (outcome === 'email_taken') {
    throw new HubError('invalid_operator', {
      reason: `the e-mail address ${stored.email} is taken`,
    })
  }
}

/** Checks an operator and hashes the password. @throws HubError `invalid_operator`. */
export async function prepareOperator(
  deps: Pick<FeatureDeps, 'publicUrl'> & { betterAuth: BetterAuth },
  operator: NewOperator,
): Promise<NewStoredOperator> {
  await assertValidOperator(operator, deps.publicUrl)
  const { password } = await deps.betterAuth.context()
  const email = operator.email.toLowerCase()
  return {
    ...{ email, name: operator.name || email, role: operator.role },
    password_hash: await password.hash(operator.password),
  }
}

/** @throws HubError `invalid_operator` with the reason. */
async function assertValidOperator(operator: NewOperator, publicUrl: string): Promise<void> {
  const { email, password, role } = operator
  const reason = isEmail(email)
    ? ((await findPasswordIssue(password, { ...operator, publicUrl })) ??
      (isRole(role) ? null : 'the role is unknown'))
    : 'the e-mail address is not valid'
  if (reason !== null) throw new HubError('invalid_operator', { reason })
}
