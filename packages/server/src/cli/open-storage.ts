import type { Config } from '../config/settings.ts'
import { type VerifiedSecret, verifySecret } from '../features/maintenance/verify-secret.ts'
import { openStorage } from '../storage/open.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** Opens the database for a command that may run next to the hub, and closes it afterwards. */
export async function withStorage<Result>(
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
  { warn, waitUntil }: { warn: (message: string) => void; waitUntil: AbortSignal },
): Promise<{ storage: Storage; secret: string }> {
  let hashReference: VerifiedSecret['hashReference'] = () => {
    throw new Error('Nothing is stored before the secret is verified')
  }
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    hashReference: (reference) => hashReference(reference),
    asHub: true,
    timeZone: config.HUB_TIME_ZONE,
    warn,
    waitUntil,
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
