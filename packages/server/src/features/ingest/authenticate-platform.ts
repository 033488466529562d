import { HUB_KEY_PREFIX } from '../../domain/platform/api-key.ts'
import { keyRejected } from '../../domain/platform/rejected-key.ts'
import type { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { AuthenticatedPlatform, PlatformStore } from '../../storage/port/platform-store.ts'

const MAX_CACHED = 10_000

/**
 * Finds the platform of a hub API key. The cache only saves look-ups: the write path checks the key, the platform and
 * the module again in its own transaction.
 */
export type PlatformAuthenticator = {
  /** Returns the platform of a key that was found before; null if it must be looked up. */
  findCached: (key: string) => AuthenticatedPlatform | null
  /** Returns the platform of a key; null for an invalid key. */
  find: (key: string) => Promise<AuthenticatedPlatform | null>
  /** Looks up a key without the cache. */
  refresh: (key: string) => Promise<AuthenticatedPlatform | null>
  /** Creates the error of an invalid key. @param hasAuthorization whether the request has the header `Authorization`. */
  reject: (key: string, hasAuthorization?: boolean) => Promise<HubError>
}

export function createPlatformAuthenticator(deps: {
  platforms: Pick<PlatformStore, 'findPlatformByKey' | 'findFormerKey' | 'onChange'>
  clock: Clock
}): PlatformAuthenticator {
  const { platforms, clock } = deps
  const cached = new Map<string, AuthenticatedPlatform>()
  /** Pushes that arrive at the same time share a look-up. */
  const pending = new Map<string, Promise<AuthenticatedPlatform | null>>()
  platforms.onChange(() => {
    cached.clear()
    // The result of a pending look-up may be older than the change.
    pending.clear()
  })
  async function lookUp(key: string): Promise<AuthenticatedPlatform | null> {
    const lookingUp = platforms.findPlatformByKey(sha256(key), clock.now().toISOString())
    pending.set(key, lookingUp)
    const isNewest = () => pending.get(key) === lookingUp
    try {
      const platform = await lookingUp
      if (platform && isNewest()) {
        if (cached.size >= MAX_CACHED) cached.clear()
        cached.set(key, platform)
      }
      return platform
    } finally {
      if (isNewest()) pending.delete(key)
    }
  }
  function refresh(key: string): Promise<AuthenticatedPlatform | null> {
    cached.delete(key)
    return lookUp(key)
  }
  /** The expiry of a key is not published as a change. */
  const isValid = ({ expires_at }: AuthenticatedPlatform) =>
    expires_at === null || expires_at > clock.now().toISOString()
  function findCached(key: string): AuthenticatedPlatform | null {
    const platform = cached.get(key)
    return platform && isValid(platform) ? platform : null
  }
  return {
    findCached,
    refresh,
    async reject(key, hasAuthorization) {
      const former = isRandomKey(key, HUB_KEY_PREFIX)
        ? await platforms.findFormerKey(sha256(key))
        : null
      return keyRejected(key, former, hasAuthorization)
    },
    async find(key) {
      const platform = findCached(key)
      if (platform) return platform
      // The checksum of a key rejects invented ones without a look-up.
      if (!isRandomKey(key, HUB_KEY_PREFIX)) return null
      return pending.get(key) ?? lookUp(key)
    },
  }
}
