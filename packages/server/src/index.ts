/** The package `recordhub` as a library. Its types are in `cli/library.ts`. */
import { createLogger } from './cli/create-logger.ts'
import type { StartHub } from './cli/library.ts'
import { startHub as startConfiguredHub } from './cli/start.ts'
import { readConfig, SettingError } from './config/config.ts'

export { VERSION } from './cli/version.ts'

export const startHub: StartHub = async (settings, options = {}) => {
  const { config, given, unknown } = readConfig({ flags: settings, environment: {}, envFile: {} })
  if (unknown.length > 0) throw new SettingError(`Unknown settings: ${unknown.join(', ')}`)
  const signal = options.signal ?? new AbortController().signal
  return startConfiguredHub({ config, given }, createLogger(config), signal)
}
