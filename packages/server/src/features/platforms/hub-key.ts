/** Reveals and rotates the hub API key of a platform, and ends an old one. */
import { logChange, type Requester } from '../../domain/activity/activity.ts'
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
  const log = logChange(requester, {
    ...{ kind: 'platform.key_rotated', action: 'hub_key.rotate', target: platform_name },
    message: `${display_title} has a new hub API key. The old one ${validity}.`,
    details: { grace_seconds, hint },
  })
  const rotation = { platform_id, hub_key, old_expires_at, at }
  found('platform', await connections.rotateHubKey(rotation, log))
  return key
}

/**
 * Ends the old hub API keys of a platform before their grace period ends.
 * @throws HubError `not_found` if no old key is valid.
 */
export async function endOldHubKeys(
  { platforms, connections, clock }: Pick<FeatureDeps, 'platforms' | 'connections' | 'clock'>,
  platform_id: number,
  requester: Requester,
): Promise<void> {
  const platform = found('platform', await platforms.readPlatform(platform_id))
  const { platform_name, display_title } = platform
  const isDone = await connections.endOldHubKeys(
    { platform_id, at: clock.now().toISOString() },
    logChange(requester, {
      ...{ kind: 'platform.old_key_ended', action: 'hub_key.end_previous', target: platform_name },
      message: `The old hub API key of ${display_title} was ended early. Pushes with it are rejected.`,
    }),
  )
  found('old hub API key that is still valid', isDone)
}
