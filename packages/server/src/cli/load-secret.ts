import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { createFile, replaceFile } from '../lib/files/durable-files.ts'
import { errorCodeOf } from '../lib/files/error-code.ts'
import { isPostgres, prepareDataFolder } from '../storage/open.ts'

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
  if (isPostgres(config.DATABASE_URL)) {
    throw new SettingError(
      'HUB_SECRET: required with PostgreSQL, with the same value on every node. Create one with: openssl rand -base64 32',
    )
  }
  prepareDataFolder(config.HUB_DATA_DIR)
  const [first, ...others] = readSecretFile(config) ?? createSecretFile(config)
  return [first, ...others, ...before]
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
    throw error
  }
  throw new SettingError(`${path} is damaged: a secret has at least 32 characters.`)
}

/** A power failure must not undo the file after something is encrypted with the secret. */
function createSecretFile(config: Config): Secrets {
  try {
    createFile(pathOf(config), `${createSecret()}\n`)
  } catch (error) {
    // Another process has created it meanwhile.
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
  const secrets = readSecretFile(config)
  if (secrets === null) throw new SettingError(`${pathOf(config)} is missing.`)
  return secrets
}

/** Replaces the secrets of the file atomically. A power failure does not undo it. */
export function writeSecretFile(config: Config, secrets: Secrets): void {
  replaceFile(pathOf(config), `${secrets.join('\n')}\n`)
}

export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

function pathOf(config: Config): string {
  return join(config.HUB_DATA_DIR, FILE)
}
