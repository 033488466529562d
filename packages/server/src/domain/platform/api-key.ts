import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { createRandomKey, isRandomKey, maskKey } from '../../lib/crypto/random-key.ts'

/** The prefix of every hub API key, so that a leaked one is recognised. */
export const HUB_KEY_PREFIX = 'rhk_'
/** The prefix of every API token. */
export const TOKEN_PREFIX = 'rht_'
/** The prefix of the token of an invitation link. */
export const INVITATION_PREFIX = 'rhi_'

/** A new key, its hash, by which it is found, and its masked form. Only the hash and the masked form are stored. */
type NewKey = { key: string; hash: string; hint: string }

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

/** A key that was valid, of a platform that is still registered. */
export type FormerKey = {
  /** When a newer key of the platform was created; null if there is none. */
  replaced_at: string | null
  is_inactive: boolean
}

/**
 * Creates the error of a rejected hub API key. It tells only what the caller has sent, and to the holder of a former key
 * what became of it. It is the same for every unknown key.
 * @param key the value of `X-API-KEY`; "" without one.
 */
export function keyRejected(
  key: string,
  former: FormerKey | null,
  hasAuthorization = false,
): HubError {
  const sentence = new HubError('api_key_invalid').message
  return HubError.withMessage(
    'api_key_invalid',
    `${sentence} ${explain(key, former, hasAuthorization)}`,
  )
}

function explain(key: string, former: FormerKey | null, hasAuthorization: boolean): string {
  if (key === '') {
    return hasAuthorization
      ? 'The request has the header Authorization, but no X-API-KEY: send the key in X-API-KEY.'
      : 'No X-API-KEY arrived. If you sent it, a proxy may have removed it.'
  }
  if (!key.startsWith(HUB_KEY_PREFIX)) {
    return `The key does not begin with ${HUB_KEY_PREFIX}: it is not a hub API key. The source platform API key is for requests of the hub.`
  }
  if (!isRandomKey(key, HUB_KEY_PREFIX)) {
    return 'The checksum of the key is wrong: it may have been cut off or changed when it was copied.'
  }
  if (!former) return 'The hub does not know this key.'
  const { replaced_at, is_inactive } = former
  const reasons = [
    ...(is_inactive
      ? ['The platform is inactive: an operator of the hub has deactivated it.']
      : []),
    ...(replaced_at === null
      ? []
      : [
          `This key was replaced on ${replaced_at.slice(0, 10)} (UTC). Ask the operator of the hub for the new one.`,
        ]),
  ]
  return reasons.join(' ') || 'This key is no longer valid.'
}
