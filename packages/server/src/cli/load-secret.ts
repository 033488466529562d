import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { HubError } from '../errors.ts'
import { createFile, replaceFile } from '../lib/files/durable-files.ts'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { dataFolderUnusable, isPostgres, prepareDataFolder } from '../storage/open.ts'

const FILE = 'recordhub.secret'

/** The current secret, then the previous ones during a rotation. */
export type Secrets = readonly [string, ...string[]]

/**
 * The secret that encrypts keys and signs sessions: HUB_SECRET, or else a file in the data folder that only its owner
 * may read. The first start creates the file. Without it, the stored keys cannot be decrypted.
 * @throws SettingError on PostgreSQL without HUB_SECRET: every node needs the same secret.
 */
export function loadSecrets(config: Config): Secrets {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  const before = previous ? [previous] : []
  if (secret) return [secret, ...before]
  assertMayBeFile(config)
  prepareDataFolder(config.HUB_DATA_DIR)
  const [first, ...others] = readSecretFile(config) ?? createSecretFile(config)
  return [first, ...others, ...before]
}

/** @throws SettingError on PostgreSQL without HUB_SECRET: every node needs the same secret. */
export function assertMayBeFile({ HUB_SECRET: secret, DATABASE_URL: url }: Config): void {
  if (secret || !isPostgres(url)) return
  throw new SettingError(
    'HUB_SECRET: required with PostgreSQL, with the same value on every node. Create one with: openssl rand -base64 32',
  )
}

/**
 * Loads the secrets of a database that may be new. The secret file that this has created is deleted again if the database
 * needs another secret, which would be hidden by it.
 */
export async function withSecrets<Result>(
  config: Config,
  open: (secrets: Secrets) => Promise<Result>,
): Promise<Result> {
  const isFound = config.HUB_SECRET !== '' || readSecretFile(config) !== null
  const secrets = loadSecrets(config)
  try {
    return await open(secrets)
  } catch (error) {
    const isWrong = error instanceof HubError && error.code === 'secret_wrong'
    if (isWrong && !isFound) rmSync(pathOf(config), { force: true })
    throw error
  }
}

/**
 * The secret of the file, then the previous ones during a rotation; null if there is no file.
 * @throws SettingError if the file is damaged.
 */
export function readSecretFile(config: Config): Secrets | null {
  const path = pathOf(config)
  try {
    const [first = '', ...others] = readFileSync(path, 'utf8').trim().split('\n')
    if ([first, ...others].every((secret) => secret.length >= 32)) return [first, ...others]
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null
    throw dataFolderUnusable(config.HUB_DATA_DIR, error)
  }
  throw new SettingError(`${path} is damaged: a secret has at least 32 characters.`)
}

/** A power failure must not undo the file after something is encrypted with the secret. */
function createSecretFile(config: Config): Secrets {
  try {
    createFile(pathOf(config), `${createSecret()}\n`)
  } catch (error) {
    // Another process has created it meanwhile.
    if (errorCodeOf(error) !== 'EEXIST') throw dataFolderUnusable(config.HUB_DATA_DIR, error)
  }
  const secrets = readSecretFile(config)
  if (secrets === null) throw new SettingError(`${pathOf(config)} is missing.`)
  return secrets
}

/** Replaces the secrets of the file atomically. A power failure does not undo it. */
export function writeSecretFile(config: Config, secrets: Secrets): void {
  try {
    replaceFile(pathOf(config), `${secrets.join('\n')}\n`)
  } catch (error) {
    throw dataFolderUnusable(config.HUB_DATA_DIR, error)
  }
}

export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

function pathOf(config: Config): string {
  return join(config.HUB_DATA_DIR, FILE)
}
