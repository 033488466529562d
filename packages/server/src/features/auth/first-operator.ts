/** The first operator of an installation, created by a link on the console or from the settings. */
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../errors.ts'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { LeaseStore } from '../../storage/port/lease-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { createOperator, type NewOperator } from './create-operator.ts'

type Deps = {
  betterAuth: BetterAuth
  operators: OperatorStore
  leases: Pick<LeaseStore, 'acquire' | 'release'>
  /** The owner of leases. */
  processName: string
  publicUrl: string
}
type FirstOperator = Omit<NewOperator, 'role'>

const LEASE = 'first operator'
/** How long a hub waits at its start if another one was killed while it created the operator. */
const LEASE_SECONDS = 15
const OTHER_NODE_MS = 100

/**
 * Creates the first operator of an installation, an admin. Of several concurrent attempts, one succeeds.
 * @throws HubError `operator_exists`, `invalid_operator`.
 */
export async function createFirstOperator(deps: Deps, operator: FirstOperator): Promise<void> {
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

/**
 * Creates the operator of the settings unless an operator exists.
 * @throws HubError `invalid_operator`.
 */
export async function createBootstrapOperator(deps: Deps, operator: FirstOperator): Promise<void> {
  while (!(await deps.operators.hasOperators())) {
    try {
      await createFirstOperator(deps, operator)
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'operator_exists') throw error
      // Another node is creating it.
      await sleep(OTHER_NODE_MS)
    }
  }
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
