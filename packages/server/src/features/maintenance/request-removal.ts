/** Requests the deletion of a platform or of the records of a module, which the deletion worker performs. */
import type { Removal } from '@recordhub/protocol'
import { formatCount, type Requester } from '../../domain/activity/activity.ts'
import { found, HubError } from '../../errors.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { DeletionWorker } from './deletion-worker.ts'

/**
 * Removes a platform: its keys immediately, its records in the background.
 * @throws HubError `not_found`; `name_differs` if the typed name differs from the platform's.
 */
export async function removePlatform(
  deps: Pick<FeatureDeps, 'platforms' | 'clock'> & {
    deletionWorker: Pick<DeletionWorker, 'wake'>
  },
  request: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Removal> {
  const platform = found('platform', await deps.platforms.readPlatform(request.platform_id))
  const { platform_name, display_title, records } = platform
  if (request.platform_name !== platform_name) {
    throw new HubError('name_differs', { what: 'platform_name' })
  }
  const details = { platform_id: platform.id, records }
  const removed = await deps.platforms.removePlatform(
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
  const removal = found('platform', removed)
  deps.deletionWorker.wake()
  return removal
}

/**
 * Deletes the records of a module that is no longer registered, in the background.
 * @throws HubError `not_found`; `name_differs` if the typed record_type differs from the module's; `module_registered`.
 */
export async function removeModuleRecords(
  deps: Pick<FeatureDeps, 'removals'> & { deletionWorker: Pick<DeletionWorker, 'wake'> },
  request: { platform_id: number; record_type: string; typed: string },
  requester: Requester,
): Promise<Removal> {
  const { typed, ...module } = request
  const preview = found('module', await deps.removals.previewModule(module))
  const { platform_name, record_type, records } = preview
  if (typed !== record_type) throw new HubError('name_differs', { what: 'record_type' })
  const details = { record_type, records }
  const removal = await deps.removals.removeModuleRecords(
    { ...module, requested_by: requester.actor },
    {
      activity: {
        level: 'warning',
        kind: 'module.records_deleted',
        message: `The data of ${record_type} of ${platform_name} is being deleted: ${formatCount(records, 'record')}`,
        actor: requester.actor,
        platform: { platform_id: module.platform_id, platform_name },
        details,
      },
      audit: { ...requester, action: 'module.delete_records', target: platform_name, details },
    },
  )
  if (removal === 'registered') throw new HubError('module_registered', { record_type })
  const requested = found('module', removal)
  deps.deletionWorker.wake()
  return requested
}
