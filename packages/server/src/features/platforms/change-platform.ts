import type { Platform, PlatformStatus } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

const WORDS = {
  active: { verb: 'activated', after: 'It is pulled and may push.' },
  inactive: { verb: 'deactivated', after: 'It is not pulled, and its pushes are refused.' },
} as const

/**
 * Activates or deactivates a platform; holds for pushes from its commit on.
 * @throws HubError `not_found`.
 */
export async function changePlatformStatus(
  parts: { platforms: Pick<PlatformStore, 'readPlatform' | 'setPlatformStatus'>; clock: Clock },
  change: { platform_id: number; status: PlatformStatus },
  requester: Requester,
): Promise<Platform> {
  const before = await parts.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { verb, after } = WORDS[change.status]
  const platform = await parts.platforms.setPlatformStatus(
    { ...change, at: parts.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `platform.${verb}`,
        message: `${before.display_title} ${verb}. ${after}`,
        actor: requester.actor,
      },
      audit: { ...requester, action: `platform.${verb}`, target: before.platform_name },
    },
  )
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  return platform
}
