import type { Removal } from '@recordhub/protocol'
import { formatCount, type Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { RemovalStore } from '../../storage/port/removal-store.ts'
import type { DeletionWorker } from './deletion-worker.ts'

/**
 * Has the records of a module that is not registered any more deleted in the background.
 * @throws HubError `not_found`; `name_differs` where the type typed is not the module's;
 *   `module_registered`.
 */
export async function removeModuleRecords(
  parts: {
    removals: Pick<RemovalStore, 'previewModule' | 'removeModuleRecords'>
    remover: Pick<DeletionWorker, 'wake'>
  },
  request: { platform_id: number; record_type: string; typed: string },
  requester: Requester,
): Promise<Removal> {
  const { typed, ...module } = request
  const preview = await parts.removals.previewModule(module)
  if (!preview) throw new HubError('not_found', { what: 'module' })
  const { platform_name, record_type, records } = preview
  if (typed !== record_type) throw new HubError('name_differs', { what: 'record_type' })
  const details = { record_type, records }
  const removal = await parts.removals.removeModuleRecords(
    { ...module, requested_by: requester.actor },
    {
      activity: {
        level: 'warning',
        kind: 'module.records_deleted',
        message: `What there is of ${record_type} of ${platform_name} is being deleted: ${formatCount(records, 'record')}`,
        actor: requester.actor,
        platform: { platform_id: module.platform_id, platform_name },
        details,
      },
      audit: { ...requester, action: 'module.delete_records', target: platform_name, details },
    },
  )
  if (removal === null) throw new HubError('not_found', { what: 'module' })
  if (removal === 'registered') throw new HubError('module_registered', { record_type })
  parts.remover.wake()
  return removal
}
