import { HUB_KEY_PREFIX } from '../../domain/platform/api-key.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { AuthenticatedPlatform, PlatformStore } from '../../storage/port/platform-store.ts'

const MAX_KNOWN = 10_000

/**
 * Finds what a hub API key opens. What it remembers only saves look-ups: the write path checks key,
 * platform and module again in its own transaction, and says when to forget.
 */
export type PlatformAuthenticator = {
  find: (key: string) => Promise<AuthenticatedPlatform | null>
  /** Looks again, past what is remembered. */
  refresh: (key: string) => Promise<AuthenticatedPlatform | null>
}

export function createPlatformAuthenticator(options: {
  platforms: Pick<PlatformStore, 'findByHubKey' | 'onChange'>
  clock: Clock
}): PlatformAuthenticator {
  const known = new Map<string, AuthenticatedPlatform>()
  /** Pushes that come together share a look-up. */
  const underWay = new Map<string, Promise<AuthenticatedPlatform | null>>()
  options.platforms.onChange(() => {
    known.clear()
    // What is being looked up may be from before the change.
    underWay.clear()
  })
  async function lookUp(key: string): Promise<AuthenticatedPlatform | null> {
    const at = options.clock.now().toISOString()
    const lookingUp = options.platforms.findByHubKey(sha256(key), at)
    underWay.set(key, lookingUp)
    const isNewest = () => underWay.get(key) === lookingUp
    try {
      const receiver = await lookingUp
      if (receiver && isNewest()) {
        if (known.size >= MAX_KNOWN) known.clear()
        known.set(key, receiver)
      }
      return receiver
    } finally {
      if (isNewest()) underWay.delete(key)
    }
  }
  function refresh(key: string): Promise<AuthenticatedPlatform | null> {
    known.delete(key)
    return lookUp(key)
  }
  /** That a key expires is no change that anybody tells of. */
  const isValid = ({ expires_at }: AuthenticatedPlatform) =>
    expires_at === null || expires_at > options.clock.now().toISOString()
  return {
    refresh,
    async find(key) {
      const receiver = known.get(key)
      if (receiver && isValid(receiver)) return receiver
      // A made-up key is known for one without a look-up, so that guessing costs the hub little.
      if (!isRandomKey(key, HUB_KEY_PREFIX)) return null
      return underWay.get(key) ?? lookUp(key)
    },
  }
}
