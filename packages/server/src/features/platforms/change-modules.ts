import type { Platform } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

/**
 * Registers these modules of a platform and no others. A module that is not registered is not pulled and
 * its pushes are refused; its records stay.
 * @throws HubError `not_found`, `module_unknown`, `removal_under_way`.
 */
export async function changeModules(
  parts: {
    platforms: Pick<PlatformStore, 'readPlatform' | 'setRegisteredModules'>
    clock: Clock
  },
  change: { platform_id: number; record_types: string[] },
  requester: Requester,
): Promise<Platform> {
  const before = await parts.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { record_types } = change
  const details = {
    record_types,
    before: before.modules.filter((one) => one.registered).map((one) => one.record_type),
  }
  const changed = await parts.platforms.setRegisteredModules(
    { ...change, at: parts.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'platform.modules_changed',
        message: `${before.display_title} is now received with ${describe(record_types)}. Records of other modules stay.`,
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

function describe(recordTypes: string[]): string {
  if (recordTypes.length === 0) return 'no module'
  return `${recordTypes.length === 1 ? 'the module' : 'the modules'} ${recordTypes.join(', ')}`
}
