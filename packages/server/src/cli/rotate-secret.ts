import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { type Rotation, rotateSecret as rotate } from '../features/maintenance/rotate-secret.ts'
import { verifySecret } from '../features/maintenance/verify-secret.ts'
import { openStorage } from '../storage/open.ts'
import type { CommandContext } from './arguments.ts'
import {
  assertMayBeFile,
  createSecret,
  readSecretFile,
  type Secrets,
  writeSecretFile,
} from './load-secret.ts'
import { namingDatabase, type Storage } from './open-storage.ts'

/** `recordhub secret rotate`: encrypts everything with another secret, while no hub is running. */
export async function rotateSecret({
  config,
  print,
}: Pick<CommandContext, 'config' | 'print'>): Promise<void> {
  const rotation = await namingDatabase(config, () => openAndRotate(config))
  for (const line of describe(rotation)) print(line)
}

/** The new secret, and the ones that it replaces. */
type RotatedSecrets = {
  /** Null if a new one is created in the secret file. */
  next: string | null
  previous: Secrets
}

/**
 * @throws SettingError without a secret of the database: the command would create a secret file that decrypts nothing.
 */
function findSecrets(config: Config): RotatedSecrets {
  assertMayBeFile(config)
  const { HUB_SECRET: secret, HUB_SECRET_PREVIOUS: previous } = config
  // With both variables, the file is of no interest.
  const stored = secret && previous ? [] : (readSecretFile(config) ?? [])
  const [first, ...others] = [secret, ...stored, previous].filter((one) => one !== '')
  const [second, ...more] = others
  if (first !== undefined && second !== undefined)
    return { next: first, previous: [second, ...more] }
  if (first === undefined || first === secret) {
    throw new SettingError(
      'HUB_SECRET_PREVIOUS: set it to the current secret of the database, or restore the file recordhub.secret in HUB_DATA_DIR.',
    )
  }
  return { next: null, previous: [first] }
}

async function openAndRotate(config: Config): Promise<Rotation> {
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
    const { next: known, previous } = findSecrets(config)
    const next = known ?? (await addToFile(config, storage, previous))
    const rotation = await rotate(storage, { next, previous })
    if (!config.HUB_SECRET) writeSecretFile(config, [next])
    return rotation
  } finally {
    await storage.close()
  }
}

/**
 * Creates a secret. The file contains both until the rotation is complete, so that an interrupted one can be continued.
 * @throws HubError `secret_wrong`, before anything is written, if the other secrets are not those of the database.
 */
async function addToFile(
  config: Config,
  storage: Pick<Storage, 'encryptedSecrets'>,
  previous: Secrets,
): Promise<string> {
  await verifySecret(storage, previous)
  const next = createSecret()
  writeSecretFile(config, [next, ...previous])
  return next
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
