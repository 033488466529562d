import { readBackupPassphrase } from '../config/environment.ts'
import { backupFolderOf } from '../config/feature-settings.ts'
import type { Config } from '../config/settings.ts'
import { nameDatabase } from '../errors.ts'
import { type VerifiedSecret, verifySecret } from '../features/maintenance/verify-secret.ts'
import { createSecretBox, secretFingerprint } from '../lib/crypto/secret-box.ts'
import type { Clock } from '../lib/time/clock.ts'
import { databasePathOf, isPostgres, openStorage } from '../storage/open.ts'
import type { Upgrade } from '../storage/port/storage.ts'
import { VERSION } from './version.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** Does the work of a command. An error of a SQLite database names its file, since the disk may be full or read-only. */
export async function namingDatabase<Result>(
  { DATABASE_URL: url, HUB_DATA_DIR: dataDir }: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw isPostgres(url) ? error : nameDatabase(error, databasePathOf({ url, dataDir }))
  }
}

/** Opens the database for a command that may run next to the hub, and closes it afterwards. */
export function withStorage<Result>(
  config: Config,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return namingDatabase(config, () => openFor(config, use))
}

async function openFor<Result>(
  config: Config,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    asHub: false,
    timeZone: config.HUB_TIME_ZONE,
    // An error ends the command with a message.
    warn: () => undefined,
  })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/**
 * Opens the storage of a hub, and finds the secret that encrypts it.
 * @throws HubError `secret_wrong`, and the errors of `openStorage`.
 */
export async function openHubStorage(
  config: Config,
  secrets: readonly [string, ...string[]],
  options: {
    clock?: Clock | undefined
    warn: (message: string) => void
    onFailure: (message: string) => void
    waitUntil: AbortSignal
  },
): Promise<{ storage: Storage; secret: string }> {
  const { clock, warn, onFailure, waitUntil } = options
  let hashReference: VerifiedSecret['hashReference'] = () => {
    throw new Error('Nothing is stored before the secret is verified')
  }
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    hashReference: (reference) => hashReference(reference),
    asHub: true,
    timeZone: config.HUB_TIME_ZONE,
    clock,
    warn,
    onFailure,
    waitUntil,
    upgrade: { backup: toUpgradeBackup(config, secrets, waitUntil), log: warn },
  })
  try {
    const verified = await verifySecret(storage, secrets)
    hashReference = verified.hashReference
    return { storage, secret: verified.secret }
  } catch (error) {
    await storage.close()
    throw error
  }
}

function toUpgradeBackup(
  config: Config,
  [secret]: readonly [string, ...string[]],
  signal: AbortSignal,
): Upgrade['backup'] {
  if (!config.HUB_UPGRADE_BACKUP) return null
  const passphrase = readBackupPassphrase(config)
  return {
    folder: backupFolderOf(config),
    passphrase,
    async write(path) {
      const { writeBackup } = await import('../storage/backup.ts')
      return writeBackup(
        { url: config.DATABASE_URL, dataDir: config.HUB_DATA_DIR },
        {
          path,
          passphrase,
          secretFingerprint: secretFingerprint(createSecretBox(secret)),
          hubVersion: VERSION,
          signal,
        },
      )
    },
  }
}
