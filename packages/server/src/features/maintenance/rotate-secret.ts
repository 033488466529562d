/** Replaces the secret that encrypts keys and second factors; docs/decisions/0014-changing-the-secret.md has the reasons. */

import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { deriveAuthSecret } from '../../domain/auth/auth-secret.ts'
import { HubError } from '../../errors.ts'
import { createSecretBox } from '../../lib/crypto/secret-box.ts'
import type { EncryptedText } from '../../storage/port/platform-store.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { verifySecret } from './verify-secret.ts'

export type Rotation = {
  /** `already_rotated`: the database was encrypted with the new secret before. */
  outcome: 'rotated' | 'already_rotated'
  encrypted: number
  /** Texts that no secret can decrypt. They were damaged before and stay unchanged. */
  unreadable: EncryptedText[]
}

/**
 * Decrypts everything with one of the previous secrets, encrypts it with `next` in one transaction, and reads it back.
 * Ends all sessions.
 * @throws HubError `secret_wrong` if none of the secrets can decrypt the database, `secret_in_use` if a hub is running.
 */
export async function rotateSecret(
  storage: Pick<Storage, 'encryptedSecrets'>,
  { next, previous }: { next: string; previous: readonly string[] },
): Promise<Rotation> {
  const { secret: current } = await verifySecret(storage, [next, ...previous])
  const before = await storage.encryptedSecrets.listEncrypted()
  const plaintexts = await Promise.all(before.map((text) => decrypt(current, text)))
  const unreadable = before.filter((_, index) => plaintexts[index] === null)
  const encrypted = before.length - unreadable.length
  if (current === next) return { outcome: 'already_rotated', encrypted, unreadable }

  const texts = await Promise.all(
    before.map(async (text, index) => {
      const plain = plaintexts[index] ?? null
      const ciphertext = plain === null ? text.ciphertext : await encrypt(next, text, plain)
      return { before: text, ciphertext }
    }),
  )
  const outcome = await storage.encryptedSecrets.reencrypt(texts, {
    actor: 'command line',
    action: 'secret.rotate',
    target: null,
    address: null,
    details: { reencrypted: encrypted, unreadable: unreadable.length },
  })
  if (outcome !== 'reencrypted') throw new HubError('secret_in_use')
  await verifyTexts(storage, next, before, plaintexts)
  return { outcome: 'rotated', encrypted, unreadable }
}

/** @throws Error if a stored text does not decrypt to its previous plaintext. */
async function verifyTexts(
  storage: Pick<Storage, 'encryptedSecrets'>,
  secret: string,
  before: EncryptedText[],
  plaintexts: (string | null)[],
): Promise<void> {
  const after = new Map(
    (await storage.encryptedSecrets.listEncrypted()).map((text) => [`${text.of} ${text.id}`, text]),
  )
  for (const [index, { of, id }] of before.entries()) {
    const text = after.get(`${of} ${id}`)
    const plain = text ? await decrypt(secret, text) : null
    if (plaintexts[index] !== null && plain !== plaintexts[index]) {
      throw new Error(
        `The ${of} ${id} does not decrypt to its previous value. Restore the database from a backup.`,
      )
    }
  }
}

/** Null if the secret cannot decrypt the text. */
async function decrypt(
  secret: string,
  { of, purpose, ciphertext }: EncryptedText,
): Promise<string | null> {
  const box = createSecretBox(secret)
  try {
    return of === 'secret'
      ? box.decrypt(ciphertext, purpose)
      : await symmetricDecrypt({ key: deriveAuthSecret(box), data: ciphertext })
  } catch {
    return null
  }
}

async function encrypt(
  secret: string,
  { of, purpose }: EncryptedText,
  plain: string,
): Promise<string> {
  const box = createSecretBox(secret)
  return of === 'secret'
    ? box.encrypt(plain, purpose)
    : symmetricEncrypt({ key: deriveAuthSecret(box), data: plain })
}
