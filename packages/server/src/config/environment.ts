/** The only reader of the environment and of the `.env` file. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { decodeText } from '@recordhub/protocol/text'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { type ConfigSources, SettingError } from './config.ts'
import { type Config, SECRET_SETTINGS, type SettingName } from './settings.ts'

type Variables = Record<string, string | undefined>

/** The environment and the `.env` file of the working directory. */
export function readEnvironment(): Pick<ConfigSources, 'environment' | 'envFile'> {
  return {
    environment: readSecretFiles({ ...process.env }),
    envFile: readSecretFiles(readEnvFile()),
  }
}

/**
 * Gives libuv enough threads for look-ups of host names, unless the environment sets their number. Half of the threads
 * run look-ups, and one that gets no response occupies its thread for up to half a minute. With the default of 4 threads,
 * two such names would make every other platform, the mail server and PostgreSQL wait. Idle threads cost about 20 KB each.
 * Must be called before the first thread starts.
 */
export function enlargeThreadPool(): void {
  process.env['UV_THREADPOOL_SIZE'] ??= '32'
}

/**
 * Replaces `<NAME>_FILE` of each secret setting by the content of that file. Containers and service managers pass
 * secrets as files, because the environment of a process is shown in more places than a file.
 * @throws SettingError naming the variable, never the content of the file.
 */
export function readSecretFiles(variables: Variables): Variables {
  for (const name of SECRET_SETTINGS) {
    const variable = `${name}_FILE`
    const { [variable]: path } = variables
    delete variables[variable]
    if (!path) continue
    if (variables[name]) throw new SettingError(`${name} and ${variable}: set only one of them.`)
    variables[name] = readSecretFile(variable, path)
  }
  return variables
}

function readSecretFile(variable: string, path: string): string {
  let content: string
  try {
    content = decodeText(readFileSync(path)).trim()
  } catch (error) {
    throw new SettingError(`${variable}: ${path} cannot be read (${errorCodeOf(error)}).`)
  }
  if (content === '') throw new SettingError(`${variable}: ${path} is empty.`)
  if (content.includes('\n')) throw new SettingError(`${variable}: ${path} has several lines.`)
  return content
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
  'HUB_MAX_RECORD_KEYS',
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
export const SOURCE_KEY_VARIABLE = 'SOURCE_API_KEY'

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
    return decodeText(readFileSync(path)).split('\n', 1)[0]?.trim() ?? ''
  } catch (error) {
    throw new SettingError(
      `HUB_BACKUP_PASSPHRASE_FILE: the file cannot be read (${String(error)}).`,
    )
  }
}

function readEnvFile(): Variables {
  try {
    return parseEnv(decodeText(readFileSync('.env')))
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return {}
    throw new SettingError(`.env: the file cannot be read (${String(error)}).`)
  }
}
