/** Reveals and rotates the hub API key of a platform. */
import type { Requester } from '../../domain/activity/activity.ts'
import { createKey, HUB_KEY_PREFIX, HUB_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { found } from '../../errors.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/**
 * Returns the hub API key of a platform, and records it in the audit log and the activity.
 * @throws HubError `not_found`.
 */
export async function revealHubKey(
  deps: Pick<FeatureDeps, 'platforms' | 'connections' | 'activity' | 'secrets'>,
  platform_id: number,
  requester: Requester,
): Promise<string> {
  const { platforms, connections, activity, secrets } = deps
  const platform = found('platform', await platforms.readPlatform(platform_id))
  const ciphertext = found('platform', await connections.readEncryptedHubKey(platform_id))
  const { platform_name, display_title } = platform
  const key = secrets.decrypt(ciphertext, HUB_KEY_PURPOSE)
  await activity.appendAudit({ ...requester, action: 'hub_key.reveal', target: platform_name })
  await activity.appendActivity({
    level: 'info',
    kind: 'platform.key_revealed',
    message: `The hub API key of ${display_title} was shown.`,
    actor: requester.actor,
    platform: { platform_id, platform_name },
  })
  return key
}

/**
 * Creates a new hub API key for a platform. The old one remains valid for `grace_seconds`.
 * @throws HubError `not_found`.
 */
export async function rotateHubKey(
  deps: Pick<FeatureDeps, 'platforms' | 'connections' | 'secrets' | 'clock'>,
  request: { platform_id: number; grace_seconds: number },
  requester: Requester,
): Promise<string> {
  const { platforms, connections, secrets, clock } = deps
  const { platform_id, grace_seconds } = request
  const platform = found('platform', await platforms.readPlatform(platform_id))
  const { platform_name, display_title } = platform
  const { key, hash, hint } = createKey(HUB_KEY_PREFIX)
  const now = clock.now()
  const at = now.toISOString()
  const old_expires_at = new Date(now.getTime() + grace_seconds * 1000).toISOString()
  const hub_key = { key_hash: hash, hint, ciphertext: secrets.encrypt(key, HUB_KEY_PURPOSE) }
  const validity = grace_seconds === 0 ? 'is no longer valid' : `is valid until ${old_expires_at}`
  const details = { grace_seconds, hint }
  const isDone = await connections.rotateHubKey(
    { platform_id, hub_key, old_expires_at, at },
    {
      activity: {
        level: 'info',
        kind: 'platform.key_rotated',
        message: `${display_title} has a new hub API key. The old one ${validity}.`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: 'hub_key.rotate', target: platform_name, details },
    },
  )
  found('platform', isDone)
  return key
}
