import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, SettingError } from '../config.ts'
import { HubError } from '../errors.ts'
import { createFirstOperator, type FirstOperatorDeps } from '../features/auth/create-operator.ts'

const OTHER_NODE_MS = 100

/** Creates the first operator as the settings name it, where there is none yet. */
export async function createBootstrapOperator(
  deps: FirstOperatorDeps,
  config: Config,
): Promise<void> {
  const { HUB_ADMIN_EMAIL: email, HUB_ADMIN_PASSWORD: password, HUB_PUBLIC_URL: publicUrl } = config
  const name = config.HUB_ADMIN_NAME
  while (email && !(await deps.operators.hasOperators())) {
    try {
      await createFirstOperator({ ...deps, publicUrl }, { email, name, password })
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
