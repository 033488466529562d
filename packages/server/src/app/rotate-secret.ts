/** Changes the secret that everything is sealed with. Decision 14 says why so. */
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { HubError } from '../errors.ts'
import { createSecretBox } from '../lib/crypto/secret-box.ts'
import type { SealedText } from '../storage/port/secret-store.ts'
import type { Storage } from '../storage/port/storage.ts'
import { authSecretOf } from './auth-secret.ts'
import { verifySecret } from './verify-secret.ts'

export type Rotation = {
  outcome: 'rotated' | 'done_before'
  resealed: number
  /** What no secret opens any more: it was damaged before, and stays as it is. */
  unreadable: SealedText[]
}

/**
 * Seals everything under `next` that is sealed under one of `previous`, in one transaction, and reads it
 * again to make sure. Ends all sessions. What was done before is only made sure of.
 * @throws HubError `secret_wrong` where none of them opens the database, `secret_in_use` where a hub runs.
 */
export async function rotateSecret(
  storage: Pick<Storage, 'seals'>,
  { next, previous }: { next: string; previous: readonly string[] },
): Promise<Rotation> {
  const { secret: current } = await verifySecret(storage, [next, ...previous])
  const before = await storage.seals.listSealed()
  const opened = await Promise.all(before.map((text) => open(current, text)))
  const unreadable = before.filter((_, index) => opened[index] === null)
  const resealed = before.length - unreadable.length
  if (current === next) return { outcome: 'done_before', resealed, unreadable }

  const texts = await Promise.all(
    before.map(async (text, index) => {
      const plain = opened[index] ?? null
      return { before: text, sealed: plain === null ? text.sealed : await seal(next, text, plain) }
    }),
  )
  const outcome = await storage.seals.reseal(texts, {
    actor: 'command line',
    action: 'secret.rotate',
    target: null,
    address: null,
    details: { resealed, unreadable: unreadable.length },
  })
  if (outcome !== 'resealed') throw new HubError('secret_in_use')
  await makeSure(storage, next, before, opened)
  return { outcome: 'rotated', resealed, unreadable }
}

async function makeSure(
  storage: Pick<Storage, 'seals'>,
  secret: string,
  before: SealedText[],
  opened: (string | null)[],
): Promise<void> {
  const after = new Map(
    (await storage.seals.listSealed()).map((text) => [`${text.of} ${text.id}`, text]),
  )
  for (const [index, { of, id }] of before.entries()) {
    const text = after.get(`${of} ${id}`)
    const plain = text ? await open(secret, text) : null
    if (opened[index] !== null && plain !== opened[index]) {
      throw new Error(`The ${of} ${id} does not open as it did. Restore the backup.`)
    }
  }
}

async function open(secret: string, { of, purpose, sealed }: SealedText): Promise<string | null> {
  const box = createSecretBox(secret)
  try {
    return of === 'secret'
      ? box.open(sealed, purpose)
      : await symmetricDecrypt({ key: authSecretOf(box), data: sealed })
  } catch {
    return null
  }
}

async function seal(secret: string, { of, purpose }: SealedText, plain: string): Promise<string> {
  const box = createSecretBox(secret)
  return of === 'secret'
    ? box.seal(plain, purpose)
    : symmetricEncrypt({ key: authSecretOf(box), data: plain })
}
