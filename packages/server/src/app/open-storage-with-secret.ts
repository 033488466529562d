import type { Config } from '../config.ts'
import { createHashReference, type HashReference } from '../domain/record/erasure.ts'
import { openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/port/storage.ts'
import { verifySecret } from './verify-secret.ts'

/**
 * Opens the storage of a hub, with the one of the secrets that it is sealed with.
 * @throws HubError what `openStorage` throws, and `secret_wrong`.
 */
export async function openStorageWithSecret(
  config: Config,
  secrets: readonly [string, ...string[]],
  { warn, waitUntil }: { warn: (message: string) => void; waitUntil: AbortSignal },
): Promise<{ storage: Storage; secret: string }> {
  let hashReference: HashReference = () => {
    throw new Error('Nothing is stored before the secret is known')
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
    const { secret, referencesKey } = await verifySecret(storage, secrets)
    hashReference = createHashReference(referencesKey)
    return { storage, secret }
  } catch (error) {
    await storage.close()
    throw error
  }
}
