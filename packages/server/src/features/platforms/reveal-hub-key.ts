import type { Requester } from '../../domain/activity/activity.ts'
import { HUB_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { type ErrorCode, HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

const LOGGED_ERRORS: readonly ErrorCode[] = ['password_wrong', 'session_not_fresh']

/**
 * Returns the hub API key of a platform after the operator has reauthenticated. The audit log records each attempt, the
 * activity only a successful one.
 * @throws HubError `not_found`, and the errors of `reauthenticate`.
 */
export async function revealHubKey(
  deps: {
    platforms: Pick<PlatformStore, 'readPlatform'>
    connections: Pick<ConnectionStore, 'readEncryptedHubKey'>
    activity: Pick<ActivityStore, 'appendActivity' | 'appendAudit'>
    secrets: SecretBox
  },
  request: { platform_id: number; reauthenticate: () => Promise<void> },
  requester: Requester,
): Promise<string> {
  const { platforms, connections, activity, secrets } = deps
  const { platform_id } = request
  const platform = await platforms.readPlatform(platform_id)
  const ciphertext = platform && (await connections.readEncryptedHubKey(platform_id))
  if (!ciphertext) throw new HubError('not_found', { what: 'platform' })
  const { platform_name, display_title } = platform
  const audit = { ...requester, target: platform_name }
  try {
    await request.reauthenticate()
  } catch (error) {
    // Attempts during a lockout would fill the audit log.
    if (error instanceof HubError && LOGGED_ERRORS.includes(error.code)) {
      await activity.appendAudit({ ...audit, action: 'hub_key.reveal_refused' })
    }
    throw error
  }
  const key = secrets.decrypt(ciphertext, HUB_KEY_PURPOSE)
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
