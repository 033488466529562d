import type { Removal } from '@recordhub/protocol'
import { formatCount, type Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { DeletionWorker } from './deletion-worker.ts'

/**
 * Removes a platform: its keys at once, its records in the background.
 * @throws HubError `not_found`; `name_differs` where the name typed is not the platform's.
 */
export async function removePlatform(
  parts: {
    platforms: Pick<PlatformStore, 'readPlatform' | 'removePlatform'>
    remover: Pick<DeletionWorker, 'wake'>
    clock: Clock
  },
  request: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Removal> {
  const platform = await parts.platforms.readPlatform(request.platform_id)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  const { platform_name, display_title, records } = platform
  if (request.platform_name !== platform_name) {
    throw new HubError('name_differs', { what: 'platform_name' })
  }
  const details = { platform_id: platform.id, records }
  const removal = await parts.platforms.removePlatform(
    { ...request, requested_by: requester.actor, at: parts.clock.now().toISOString() },
    {
      activity: {
        level: 'warning',
        kind: 'platform.removed',
        message: `${display_title} removed. Its keys open nothing any more. What there is of it is being deleted: ${formatCount(records, 'record')}`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: 'platform.remove', target: platform_name, details },
    },
  )
  if (!removal) throw new HubError('not_found', { what: 'platform' })
  parts.remover.wake()
  return removal
}
