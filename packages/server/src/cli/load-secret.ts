import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, SettingError } from '../config.ts'
import { isPostgres, prepareDataFolder } from '../storage/open.ts'

const FILE = 'recordhub.secret'

/** The secret that is to hold, then what may still hold while it is changed. */
export type Secrets = readonly [string, ...string[]]

/**
 * The secret that seals keys and signs sessions: the setting, else a file in the data folder that only
 * its owner may read, made at the first start. Who loses it cannot read the sealed keys again.
 * @throws SettingError on PostgreSQL without the setting: every node needs the same one.
 */
export function loadSecrets(config: Config): Secrets {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  const before = previous ? [previous] : []
  if (secret) return [secret, ...before]
  if (isPostgres(config.DATABASE_URL)) {
    throw new SettingError(
      'HUB_SECRET: needed with PostgreSQL, the same on every node. Make one with: openssl rand -base64 32',
    )
  }
  prepareDataFolder(config.HUB_DATA_DIR)
  try {
    // Made in one step, so that of two processes that start at once one makes it.
    writeFileSync(pathOf(config), `${createSecret()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!isFault(error, 'EEXIST')) throw error
  }
  const [first, ...others] = readSecretFile(config) ?? []
  if (first === undefined) throw new SettingError(`${pathOf(config)} is gone.`)
  return [first, ...others, ...before]
}

/**
 * What the file holds: the secret, and below it the one before while that is changed; null where there is none.
 * @throws SettingError where it is damaged.
 */
export function readSecretFile(config: Config): Secrets | null {
  const path = pathOf(config)
  try {
    const [first = '', ...others] = readFileSync(path, 'utf8').trim().split('\n')
    if ([first, ...others].every((secret) => secret.length >= 32)) return [first, ...others]
  } catch (error) {
    if (isFault(error, 'ENOENT')) return null
    throw error
  }
  throw new SettingError(`${path} is damaged: it should hold 32 characters or more.`)
}

/** Puts other secrets into the file in one step: whoever reads it finds the old ones or these. */
export function writeSecretFile(config: Config, secrets: Secrets): void {
  const path = pathOf(config)
  writeFileSync(`${path}.new`, `${secrets.join('\n')}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
  // A power cut must not undo it once the database counts on it.
  const folder = openSync(config.HUB_DATA_DIR, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

function pathOf(config: Config): string {
  return join(config.HUB_DATA_DIR, FILE)
}

function isFault(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
