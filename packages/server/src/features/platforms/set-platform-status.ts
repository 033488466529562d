import type { Platform, PlatformStatus } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

const EFFECTS = {
  active: { verb: 'activated', effect: 'It is pulled, and its pushes are accepted.' },
  inactive: { verb: 'deactivated', effect: 'It is not pulled, and its pushes are rejected.' },
} as const

/**
 * Activates or deactivates a platform. The status applies to pushes from the commit on.
 * @throws HubError `not_found`.
 */
export async function setPlatformStatus(
  deps: { platforms: Pick<PlatformStore, 'readPlatform' | 'setPlatformStatus'>; clock: Clock },
  change: { platform_id: number; status: PlatformStatus },
  requester: Requester,
): Promise<Platform> {
  const before = await deps.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { verb, effect } = EFFECTS[change.status]
  const platform = await deps.platforms.setPlatformStatus(
    { ...change, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `platform.${verb}`,
        message: `${before.display_title} was ${verb}. ${effect}`,
        actor: requester.actor,
      },
      audit: { ...requester, action: `platform.${verb}`, target: before.platform_name },
    },
  )
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  return platform
}
