import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, SettingError } from '../config.ts'
import { isPostgres, prepareDataFolder } from '../storage/open.ts'

const FILE = 'recordhub.secret'

/**
 * The secret that seals keys and signs sessions: the setting, else a file in the data folder that only
 * its owner may read, made at the first start. Who loses it cannot read the sealed keys again.
 * @throws SettingError on PostgreSQL without the setting: every node needs the same one.
 */
export function loadSecret(config: Config): string {
  if (config.HUB_SECRET) return config.HUB_SECRET
  if (isPostgres(config.DATABASE_URL)) {
    throw new SettingError(
      'HUB_SECRET: needed with PostgreSQL, the same on every node. Make one with: openssl rand -base64 32',
    )
  }
  const path = join(config.HUB_DATA_DIR, FILE)
  prepareDataFolder(config.HUB_DATA_DIR)
  try {
    // Made in one step, so that of two processes that start at once one makes it.
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 32)
    throw new SettingError(`${path} is damaged: it should hold 32 characters or more.`)
  return secret
}
