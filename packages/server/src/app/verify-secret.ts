import { randomBytes } from 'node:crypto'
import { REFERENCES_PURPOSE } from '../domain/platform/api-key.ts'
import { HubError } from '../errors.ts'
import { createSecretBox } from '../lib/crypto/secret-box.ts'
import type { Storage } from '../storage/port/storage.ts'

export type VerifiedSecret = { secret: string; referencesKey: Buffer }

/**
 * Finds which of the secrets a database is sealed with; one that nothing is sealed with takes the first.
 * @throws HubError `secret_wrong` where it is none of them: nothing would open.
 */
export async function verifySecret(
  storage: Pick<Storage, 'seals'>,
  [first, ...others]: readonly [string, ...string[]],
): Promise<VerifiedSecret> {
  const key = randomBytes(32).toString('base64url')
  const sealed = await storage.seals.ensureReferencesKey(
    createSecretBox(first).seal(key, REFERENCES_PURPOSE),
  )
  for (const secret of [first, ...others]) {
    const opened = tryOpen(secret, sealed)
    if (opened !== null) return { secret, referencesKey: Buffer.from(opened, 'base64url') }
  }
  throw new HubError('secret_wrong')
}

/** The key for the references of erased records; null where another secret sealed it. */
function tryOpen(secret: string, sealed: string): string | null {
  try {
    return createSecretBox(secret).open(sealed, REFERENCES_PURPOSE)
  } catch {
    return null
  }
}
