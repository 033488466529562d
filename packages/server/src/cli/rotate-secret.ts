import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { type Rotation, rotateSecret as rotate } from '../features/maintenance/rotate-secret.ts'
import { openStorage } from '../storage/open.ts'
import {
  createSecret,
  loadSecrets,
  readSecretFile,
  type Secrets,
  writeSecretFile,
} from './load-secret.ts'

/** `recordhub secret rotate`: encrypts everything with another secret, while no hub is running. */
export async function rotateSecret(config: Config, print: (line: string) => void): Promise<void> {
  assertPreviousKnown(config)
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    // On SQLite, this takes the lock of the hub, so that no hub can run at the same time.
    asHub: true,
    mustExist: true,
    timeZone: config.HUB_TIME_ZONE,
    // An error ends the command with a message.
    warn: () => undefined,
  })
  try {
    const [next, ...previous] = prepareSecrets(config)
    const rotation = await rotate(storage, { next, previous })
    if (!config.HUB_SECRET) writeSecretFile(config, [next])
    for (const line of describe(rotation)) print(line)
  } finally {
    await storage.close()
  }
}

function assertPreviousKnown(config: Config): void {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  if (secret && !previous && !readSecretFile(config)) {
    throw new SettingError('HUB_SECRET_PREVIOUS: set it to the current secret of the database.')
  }
}

/** The new secret, then the ones that it replaces. The file contains both until the rotation is complete. */
function prepareSecrets(config: Config): Secrets {
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  if (secret && !previous) return [secret, ...(readSecretFile(config) ?? [])]
  if (secret || previous) return loadSecrets(config)
  const stored = loadSecrets(config)
  // Continues a rotation that was interrupted.
  if (stored.length > 1) return stored
  const both: Secrets = [createSecret(), ...stored]
  writeSecretFile(config, both)
  return both
}

function describe({ outcome, encrypted, unreadable }: Rotation): string[] {
  return [
    outcome === 'rotated'
      ? `Encrypted ${encrypted} texts with the new secret. All operators have to sign in again.`
      : `All ${encrypted} texts were already encrypted with the new secret.`,
    ...unreadable.map(({ of, id }) => `No secret decrypts the ${of} ${id}: it was not changed.`),
    'Start the hub with the new secret only. Earlier backups still need the old secret.',
  ]
}
