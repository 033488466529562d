import type { Removal } from '@recordhub/protocol'
import { formatCount, type Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { DeletionWorker } from './deletion-worker.ts'

/**
 * Removes a platform: its keys immediately, its records in the background.
 * @throws HubError `not_found`; `name_differs` if the typed name differs from the platform's.
 */
export async function removePlatform(
  deps: {
    platforms: Pick<PlatformStore, 'readPlatform' | 'removePlatform'>
    deletionWorker: Pick<DeletionWorker, 'wake'>
    clock: Clock
  },
  request: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Removal> {
  const platform = await deps.platforms.readPlatform(request.platform_id)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  const { platform_name, display_title, records } = platform
  if (request.platform_name !== platform_name) {
    throw new HubError('name_differs', { what: 'platform_name' })
  }
  const details = { platform_id: platform.id, records }
  const removal = await deps.platforms.removePlatform(
    { ...request, requested_by: requester.actor, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'warning',
        kind: 'platform.removed',
        message: `${display_title} was removed. Its keys are no longer valid. Its data is being deleted: ${formatCount(records, 'record')}`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: 'platform.remove', target: platform_name, details },
    },
  )
  if (!removal) throw new HubError('not_found', { what: 'platform' })
  deps.deletionWorker.wake()
  return removal
}
