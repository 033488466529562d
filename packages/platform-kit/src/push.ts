import type { PlatformRecord } from './platform.ts'

/** Names a record of one module. */
export type RecordReference = { record_type: string; reference_number: string }

/** A record with its module, as a POST holds it. */
export type NewRecord = PlatformRecord & { record_type: string; module_name: string }

export type RecordChanges = {
  data: { readonly [key: string]: unknown }
  full_name?: string
}

/** One call of the receiver, as it is kept and sent. */
export type Push = {
  id: string
  method: 'POST' | 'PATCH'
  /** Pushes with the same one reach the hub in their order. */
  recordKey: string
  /** As it goes on the wire. */
  body: string
}

export function newRecordPush(record: NewRecord, at: Date): Push {
  const { record_type, module_name, reference_number, full_name, data } = record
  return makePush(
    'POST',
    record,
    { module_name, record_type, reference_number, full_name, data },
    at,
  )
}

export function changePush(reference: RecordReference, changes: RecordChanges, at: Date): Push {
  const { record_type, reference_number } = reference
  return makePush('PATCH', reference, { record_type, reference_number, ...changes }, at)
}

function makePush(
  method: Push['method'],
  { record_type, reference_number }: RecordReference,
  body: Record<string, unknown>,
  at: Date,
): Push {
  if (!record_type || !reference_number) {
    throw new TypeError('A push needs the record_type and the reference_number of its record.')
  }
  return {
    id: crypto.randomUUID(),
    method,
    recordKey: JSON.stringify([record_type, reference_number]),
    // When it happened, not when it arrives: an older push never overwrites a newer one.
    body: JSON.stringify({ ...body, occurred_at: at.toISOString() }),
  }
}
