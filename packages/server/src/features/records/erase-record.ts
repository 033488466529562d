import type { Erasure, ErasureMode } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { ErasureStore } from '../../storage/port/erasure-store.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'

const DONE = { erase: 'erased', anonymise: 'anonymised' } as const

/**
 * Erases or anonymises a record; a tombstone keeps it from coming back. What is written of it names it by
 * its number only.
 * @throws HubError `not_found`.
 */
export async function eraseRecord(
  parts: {
    records: Pick<RecordStore, 'readRecord'>
    erasure: Pick<ErasureStore, 'eraseRecord'>
  },
  request: { record_id: number; mode: ErasureMode; reason: string | null },
  requester: Requester,
): Promise<Erasure> {
  const { record_id, mode, reason } = request
  const record = await parts.records.readRecord(record_id)
  if (!record) throw new HubError('not_found', { what: 'record' })
  const { platform_name, module_name, record_type } = record
  const details = { record_id, platform_name, record_type }
  const erasure = await parts.erasure.eraseRecord(
    { record_id, mode, actor: requester.actor },
    {
      activity: {
        level: 'warning',
        kind: `record.${DONE[mode]}`,
        message: `Record ${record_id} (${module_name} of ${platform_name}) was ${DONE[mode]}.`,
        actor: requester.actor,
        details,
      },
      audit: {
        ...requester,
        action: `record.${mode}`,
        target: `record ${record_id}`,
        details: { ...details, reason },
      },
    },
  )
  if (!erasure) throw new HubError('not_found', { what: 'record' })
  return erasure
}

/**
 * Lifts a tombstone, so that the record may come again.
 * @throws HubError `not_found`.
 */
export async function liftTombstone(
  parts: { erasure: Pick<ErasureStore, 'readTombstone' | 'liftTombstone'> },
  tombstoneId: number,
  requester: Requester,
): Promise<void> {
  const tombstone = await parts.erasure.readTombstone(tombstoneId)
  if (!tombstone) throw new HubError('not_found', { what: 'tombstone' })
  const { record_id, platform_name, record_type } = tombstone
  const details = { tombstone_id: tombstoneId, record_id, platform_name, record_type }
  const isLifted = await parts.erasure.liftTombstone(tombstoneId, {
    activity: {
      level: 'warning',
      kind: 'tombstone.lifted',
      message: `What was erased as record ${record_id} of ${platform_name} may come again.`,
      actor: requester.actor,
      details,
    },
    audit: { ...requester, action: 'tombstone.lift', target: `record ${record_id}`, details },
  })
  if (!isLifted) throw new HubError('not_found', { what: 'tombstone' })
}
