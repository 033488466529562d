import { sha256 } from '../../lib/crypto/hash.ts'
import { createRandomKey, maskKey } from '../../lib/crypto/random-key.ts'

/** Begins every hub API key, so that one that leaks is recognised. */
export const HUB_KEY_PREFIX = 'rhk_'
/** Begins every token for programs. */
export const TOKEN_PREFIX = 'rht_'

/** Begins the token of an invitation's link. */
export const INVITATION_PREFIX = 'rhi_'

/** A new key with what is stored of it: its hash for look-up, a hint for people. */
export type NewKey = { key: string; hash: string; hint: string }

export function createKey(
  prefix: typeof HUB_KEY_PREFIX | typeof TOKEN_PREFIX | typeof INVITATION_PREFIX,
): NewKey {
  const key = createRandomKey(prefix)
  return { key, hash: sha256(key), hint: maskKey(key) }
}

/** What a sealed key is bound to. */
export const HUB_KEY_PURPOSE = 'hub key'
export const SOURCE_KEY_PURPOSE = 'source key'
/** The hub's own key, by which it knows erased records again: it stays when the secret changes. */
export const REFERENCES_PURPOSE = 'erased references'
