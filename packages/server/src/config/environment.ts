/** The only reader of the environment and of the `.env` file. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { type ConfigSources, SettingError } from './config.ts'
import type { Config, SettingName } from './settings.ts'

/** The environment and the `.env` file of the working directory. */
export function readEnvironment(): Pick<ConfigSources, 'environment' | 'envFile'> {
  return { environment: process.env, envFile: readEnvFile() }
}

/** The settings of `check-platform`: how it calls platforms, and where its test receiver listens. */
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
 * The environment for a command that runs next to a platform. It ignores the other settings of the hub and the `.env`
 * file, which probably belongs to the platform.
 */
export function readCheckEnvironment(): Pick<ConfigSources, 'environment' | 'envFile'> {
  const environment = Object.fromEntries(CHECK_SETTINGS.map((name) => [name, process.env[name]]))
  return { environment, envFile: {} }
}

/** The variable with the source API key: as a flag, the key would end up in the history of the shell. */
export const SOURCE_KEY_VARIABLE = 'RECORDHUB_SOURCE_KEY'

export function readSourceKeyVariable(): string | null {
  return process.env[SOURCE_KEY_VARIABLE] || null
}

/** The variable with the passphrase of backups: a flag would end up in the history of the shell. */
const PASSPHRASE_VARIABLE = 'RECORDHUB_BACKUP_PASSPHRASE'
const MIN_PASSPHRASE = 12

/**
 * The passphrase that encrypts backups, from its variable or its file; null for none.
 * @throws SettingError if the file cannot be read, or the passphrase is too short.
 */
export function readBackupPassphrase({
  HUB_BACKUP_PASSPHRASE_FILE: path,
}: Pick<Config, 'HUB_BACKUP_PASSPHRASE_FILE'>): string | null {
  const passphrase = process.env[PASSPHRASE_VARIABLE] || (path && readFirstLine(path))
  return passphrase ? requirePassphrase(passphrase) : null
}

/** @throws SettingError if a passphrase is too short. */
export function requirePassphrase(passphrase: string): string {
  if (passphrase.length >= MIN_PASSPHRASE) return passphrase
  throw new SettingError(
    `The passphrase of backups must have at least ${MIN_PASSPHRASE} characters.`,
  )
}

function readFirstLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim() ?? ''
  } catch (error) {
    throw new SettingError(
      `HUB_BACKUP_PASSPHRASE_FILE: the file cannot be read (${String(error)}).`,
    )
  }
}

function readEnvFile(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return {}
    throw new SettingError(`.env: the file cannot be read (${String(error)}).`)
  }
}
