/** Why a hub API key is rejected, in the words of a 401 response: pure. */
import { HubError } from '../../errors.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import { HUB_KEY_PREFIX } from './api-key.ts'

/** A key that was valid, of a platform that is still registered. */
export type FormerKey = {
  /** When a newer key of the platform was created; null if there is none. */
  replaced_at: string | null
  is_inactive: boolean
}

/**
 * Creates the error of a rejected key. It tells only what the caller has sent, and to the holder of a former key what became
 * of it. It is the same for every unknown key.
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
