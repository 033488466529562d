/** Creates operators: of an invitation, or the first one of an installation, by a link on the console or the settings. */
import { isRole, type Role } from '../../domain/auth/caller.ts'
import { toOperatorName } from '../../domain/auth/operator-name.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import { isEmail } from '../../lib/text/email.ts'
import type { NewStoredOperator } from '../../storage/port/operator-store.ts'
import type { AuthDeps } from './auth-deps.ts'

type Deps = Pick<AuthDeps, 'operators' | 'publicUrl' | 'betterAuth'>
type FirstOperator = { email: string; name: string; password: string }
type NewOperator = FirstOperator & { role: Role }

/**
 * Creates an operator who signs in with e-mail address and password.
 * @param invitationId the invitation that the operator accepts; null for none.
 * @throws HubError `invalid_operator`, `invitation_invalid`. An invitation is then still open.
 */
export async function createOperator(
  deps: Deps,
  operator: NewOperator,
  invitationId: number | null = null,
): Promise<void> {
  const stored = await prepareOperator(deps, operator)
  const outcome = await deps.operators.createOperator(stored, invitationId)
  if (outcome === 'invitation_invalid') throw new HubError('invitation_invalid')
  if (outcome === 'email_taken') {
    const reason = `the e-mail address ${stored.email} is taken`
    throw new HubError('invalid_operator', { reason })
  }
}

/** Checks an operator and hashes the password. @throws HubError `invalid_operator`. */
async function prepareOperator(
  { publicUrl, betterAuth }: Deps,
  operator: NewOperator,
): Promise<NewStoredOperator> {
  const reason = isEmail(operator.email)
    ? ((await findPasswordIssue(operator.password, { ...operator, publicUrl })) ??
      (isRole(operator.role) ? null : 'the role is unknown'))
    : 'the e-mail address is not valid'
  if (reason !== null) throw new HubError('invalid_operator', { reason })
  const { password } = await betterAuth.context()
  const email = operator.email.toLowerCase()
  return {
    ...{ email, name: toOperatorName(operator.name) || email, role: operator.role },
    password_hash: await password.hash(operator.password),
  }
}

/**
 * Creates the first operator of an installation, an admin. Of several concurrent attempts, one succeeds.
 * @throws HubError `operator_exists`, `invalid_operator`.
 */
export async function createFirstOperator(deps: Deps, operator: FirstOperator): Promise<void> {
  if ((await createIfFirst(deps, operator)) === 'operator_exists') {
    throw new HubError('operator_exists')
  }
}

/**
 * Creates the operator of the settings unless an operator exists, for example one that another node creates at the
 * same time.
 * @throws HubError `invalid_operator`.
 */
export async function createBootstrapOperator(deps: Deps, operator: FirstOperator): Promise<void> {
  await createIfFirst(deps, operator)
}

async function createIfFirst(deps: Deps, operator: FirstOperator) {
  // Hashing a password takes time, so it precedes the transaction.
  if (await deps.operators.hasOperators()) return 'operator_exists'
  return deps.operators.createFirstOperator(
    await prepareOperator(deps, { ...operator, role: 'admin' }),
  )
}

/**
 * The link that creates the first operator. Its token follows the #, which browsers do not send to servers.
 * @param site the URL at which operators reach the hub, such as https://hub.example.org
 */
export function setupLink(secrets: SecretBox, site: string): string {
  return `${site}/setup#token=${setupToken(secrets)}`
}

/** Derived from the secret of the hub, so that all nodes know it. It has no use once an operator exists. */
function setupToken(secrets: SecretBox): string {
  return hmacSha256(secrets.deriveKey('setup link'), 'first operator')
}

export function isSetupToken(secrets: SecretBox, token: string): boolean {
  return sameSecret(setupToken(secrets), token)
}
