import { sha256 } from '../../lib/crypto/hash.ts'
import { createRandomKey, maskKey } from '../../lib/crypto/random-key.ts'

/** The prefix of every hub API key, so that a leaked one is recognised. */
export const HUB_KEY_PREFIX = 'rhk_'
/** The prefix of every API token. */
export const TOKEN_PREFIX = 'rht_'
/** The prefix of the token of an invitation link. */
export const INVITATION_PREFIX = 'rhi_'

/** A new key, its hash, by which it is found, and its masked form. Only the hash and the masked form are stored. */
export type NewKey = { key: string; hash: string; hint: string }

export function createKey(
  prefix: typeof HUB_KEY_PREFIX | typeof TOKEN_PREFIX | typeof INVITATION_PREFIX,
): NewKey {
  const key = createRandomKey(prefix)
  return { key, hash: sha256(key), hint: maskKey(key) }
}

/** The purposes that encrypted keys are bound to. */
export const HUB_KEY_PURPOSE = 'hub key'
export const SOURCE_KEY_PURPOSE = 'source key'
/** The key for the hashes of erased references. It remains when the secret is rotated. */
export const REFERENCES_PURPOSE = 'erased references'
