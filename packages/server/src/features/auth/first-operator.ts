/** The first operator of an installation, created by a link on the console or from the settings. */
import { HubError } from '../../errors.ts'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { BetterAuth } from './better-auth.ts'
import { type NewOperator, prepareOperator } from './create-operator.ts'

type Deps = Pick<FeatureDeps, 'operators' | 'publicUrl'> & { betterAuth: BetterAuth }
type FirstOperator = Omit<NewOperator, 'role'>

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
