import type { Requester } from '../../domain/activity/activity.ts'
import { HUB_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { type ErrorCode, HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

const REFUSALS: readonly ErrorCode[] = ['password_wrong', 'session_not_fresh']

/**
 * Shows the hub API key of a platform to an operator who has shown once more who it is. Shown or
 * refused, it is in the audit; that it was shown is in the activity too.
 * @throws HubError `not_found`, and what `reauthenticate` throws.
 */
export async function revealHubKey(
  parts: {
    platforms: Pick<PlatformStore, 'readPlatform'>
    connections: Pick<ConnectionStore, 'readSealedHubKey'>
    activity: Pick<ActivityStore, 'appendActivity' | 'appendAudit'>
    secrets: SecretBox
  },
  request: { platform_id: number; reauthenticate: () => Promise<void> },
  requester: Requester,
): Promise<string> {
  const { platforms, connections, activity, secrets } = parts
  const { platform_id } = request
  const platform = await platforms.readPlatform(platform_id)
  const sealed = platform && (await connections.readSealedHubKey(platform_id))
  if (!sealed) throw new HubError('not_found', { what: 'platform' })
  const { platform_name, display_title } = platform
  const audit = { ...requester, target: platform_name }
  try {
    await request.reauthenticate()
  } catch (error) {
    // Whoever has to wait would fill the audit.
    if (error instanceof HubError && REFUSALS.includes(error.code)) {
      await activity.appendAudit({ ...audit, action: 'hub_key.reveal_refused' })
    }
    throw error
  }
  const key = secrets.open(sealed, HUB_KEY_PURPOSE)
  await activity.appendAudit({ ...audit, action: 'hub_key.reveal' })
  await activity.appendActivity({
    level: 'info',
    kind: 'platform.key_revealed',
    message: `The hub API key of ${display_title} was shown.`,
    actor: requester.actor,
    platform: { platform_id, platform_name },
  })
  return key
}
