import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, SettingError } from '../config.ts'
import { HubError } from '../errors.ts'
import type { Auth } from '../features/auth/auth.ts'
import { createFirstOperator } from '../features/auth/create-operator.ts'
import type { OperatorStore } from '../storage/port/operator-store.ts'

const OTHER_NODE_MS = 100

/** Creates the first operator as the settings name it, where there is none yet. */
export async function createBootstrapOperator(
  parts: { auth: Auth; operators: OperatorStore },
  config: Config,
): Promise<void> {
  const { HUB_ADMIN_EMAIL: email, HUB_ADMIN_PASSWORD: password, HUB_PUBLIC_URL: publicUrl } = config
  const name = config.HUB_ADMIN_NAME
  while (email && !(await parts.operators.hasOperators())) {
    try {
      await createFirstOperator({ ...parts, publicUrl }, { email, name, password })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      if (error.code === 'invalid_operator') {
        throw new SettingError(`HUB_ADMIN_EMAIL, HUB_ADMIN_PASSWORD: ${error.message}`)
      }
      if (error.code !== 'operator_exists') throw error
      // Another node is about to.
      await sleep(OTHER_NODE_MS)
    }
  }
}
