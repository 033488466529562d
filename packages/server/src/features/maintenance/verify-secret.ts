/** Apart from rotate-secret.ts, since every start verifies the secret and only a rotation needs Better Auth. */
import { randomBytes } from 'node:crypto'
import { REFERENCES_PURPOSE } from '../../domain/platform/api-key.ts'
import { createHashReference, type HashReference } from '../../domain/record/erasure.ts'
import { HubError } from '../../errors.ts'
import { createSecretBox } from '../../lib/crypto/secret-box.ts'
import type { Storage } from '../../storage/port/storage.ts'

export type VerifiedSecret = {
  secret: string
  /** Hashes the references of erased records, with a key that the secret encrypts. */
  hashReference: HashReference
}

/**
 * Finds the secret that encrypts a database. In a new database, the first of the secrets is used from now on.
 * @throws HubError `secret_wrong` if none of the secrets can decrypt the database.
 */
export async function verifySecret(
  storage: Pick<Storage, 'encryptedSecrets'>,
  [first, ...others]: readonly [string, ...string[]],
): Promise<VerifiedSecret> {
  const key = randomBytes(32).toString('base64url')
  const ciphertext = await storage.encryptedSecrets.ensureReferencesKey(
    createSecretBox(first).encrypt(key, REFERENCES_PURPOSE),
  )
  const found = findSecret([first, ...others], ciphertext)
  if (!found) throw new HubError('secret_wrong')
  const { secret, decrypted } = found
  return { secret, hashReference: createHashReference(Buffer.from(decrypted, 'base64url')) }
}

/** Finds the secret that encrypted the key for erased references; null if none of them did. */
export function findSecret(
  secrets: readonly string[],
  ciphertext: string,
): { secret: string; decrypted: string } | null {
  for (const secret of secrets) {
    const decrypted = tryDecrypt(secret, ciphertext)
    if (decrypted !== null) return { secret, decrypted }
  }
  return null
}

/** Null if another secret encrypted the text. */
function tryDecrypt(secret: string, ciphertext: string): string | null {
  try {
    return createSecretBox(secret).decrypt(ciphertext, REFERENCES_PURPOSE)
  } catch {
    return null
  }
}
