import type { Platform } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

/**
 * Registers these modules of a platform, and unregisters all others. A module that is not registered is not pulled and
 * its pushes are rejected. Its records remain.
 * @throws HubError `not_found`, `module_unknown`, `removal_under_way`.
 */
export async function setRegisteredModules(
  deps: {
    platforms: Pick<PlatformStore, 'readPlatform' | 'setRegisteredModules'>
    clock: Clock
  },
  change: { platform_id: number; record_types: string[] },
  requester: Requester,
): Promise<Platform> {
  const before = await deps.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { record_types } = change
  const details = {
    record_types,
    before: before.modules.filter((one) => one.registered).map((one) => one.record_type),
  }
  const changed = await deps.platforms.setRegisteredModules(
    { ...change, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'platform.modules_changed',
        message: `The registered modules of ${before.display_title} are now: ${record_types.join(', ') || 'none'}. Records of other modules remain.`,
        actor: requester.actor,
        details,
      },
      audit: {
        ...requester,
        action: 'platform.change_modules',
        target: before.platform_name,
        details,
      },
    },
  )
  if (!changed) throw new HubError('not_found', { what: 'platform' })
  if (changed.outcome === 'changed') return changed.platform
  const { outcome, record_type } = changed
  throw new HubError(outcome === 'removing' ? 'removal_under_way' : 'module_unknown', {
    record_type,
  })
}
