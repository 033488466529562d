/** The only reader of the environment and of `.env`. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type ConfigSources, SettingError, type SettingName } from '../config.ts'

/** The environment and the `.env` file of the working directory. */
export function readEnvironment(): Pick<ConfigSources, 'environment' | 'envFile'> {
  return { environment: process.env, envFile: readEnvFile() }
}

/** All that a check of a platform goes by: how platforms are called, and where a scratch receiver listens. */
export const CHECK_SETTINGS: readonly SettingName[] = [
  'PORT',
  'HOST',
  'HUB_PUBLIC_URL',
  'HUB_PLATFORM_PATH',
  'HUB_TUNNEL_HEADER',
  'HUB_SOURCE_NETWORKS',
  'HUB_SOURCE_SCHEMES',
  'HUB_MAX_BODY_BYTES',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
]

/**
 * As {@link readEnvironment}, for a command that runs beside a platform: neither the settings of a hub count, nor a
 * `.env` file, which is likely the platform's.
 */
export function readCheckEnvironment(): Pick<ConfigSources, 'environment' | 'envFile'> {
  const environment = Object.fromEntries(CHECK_SETTINGS.map((name) => [name, process.env[name]]))
  return { environment, envFile: {} }
}

/** The variable that a source API key is taken from where none is given: a shell keeps its history. */
export const SOURCE_KEY_VARIABLE = 'RECORDHUB_SOURCE_KEY'

export function readSourceKey(): string | null {
  return process.env[SOURCE_KEY_VARIABLE] || null
}

function readEnvFile(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new SettingError(`.env: it cannot be read (${String(error)}).`)
  }
}
