import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { logChange, type Requester } from '../../domain/activity/activity.ts'
import { found } from '../../errors.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAST_TENSE = { erase: 'erased', anonymise: 'anonymised' } as const

/**
 * Erases or anonymises a record. A tombstone prevents later writes of the record. The activity and the audit log
 * name it only by its id.
 * @throws HubError `not_found`.
 */
export async function eraseRecord(
  deps: Pick<FeatureDeps, 'records' | 'erasure'>,
  request: { record_id: number; mode: ErasureMode; reason: string | null },
  requester: Requester,
): Promise<Erasure> {
  const { record_id, mode, reason } = request
  const record = found('record', await deps.records.readRecord(record_id))
  const { platform_name, module_name, record_type } = record
  const details = { record_id, platform_name, record_type }
  const { activity, audit } = logChange(requester, {
    ...{ level: 'warning', kind: `record.${PAST_TENSE[mode]}`, details },
    message: `Record ${record_id} (${module_name} of ${platform_name}) was ${PAST_TENSE[mode]}.`,
    ...{ action: `record.${mode}`, target: `record ${record_id}` },
  })
  const erasure = await deps.erasure.eraseRecord(
    { record_id, mode, actor: requester.actor },
    { activity, audit: { ...audit, details: { ...details, reason } } },
  )
  return found('record', erasure)
}

/**
 * Deletes a tombstone, so that the hub accepts the record again.
 * @throws HubError `not_found`.
 */
export async function deleteTombstone(
  { erasure }: Pick<FeatureDeps, 'erasure'>,
  tombstoneId: number,
  requester: Requester,
): Promise<void> {
  const tombstone = found('tombstone', await erasure.readTombstone(tombstoneId))
  const { record_id, platform_name, record_type } = tombstone
  const details = { tombstone_id: tombstoneId, record_id, platform_name, record_type }
  const log = logChange(requester, {
    ...{ level: 'warning', kind: 'tombstone.deleted', details },
    message: `The tombstone of record ${record_id} of ${platform_name} was deleted; the hub accepts the record again.`,
    ...{ action: 'tombstone.delete', target: `record ${record_id}` },
  })
  found('tombstone', await erasure.deleteTombstone(tombstoneId, log))
}
