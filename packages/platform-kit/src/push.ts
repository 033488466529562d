import { MAX_REFERENCE_BYTES } from '@recordhub/protocol/constants'
import { findDataFault } from './json-fault.ts'
import type { PlatformRecord } from './platform.ts'
import { findTextFault } from './text.ts'

/** Names a record of one module. */
export type RecordReference = { record_type: string; reference_number: string }

/** A record with its module, as a POST holds it. */
export type NewRecord = PlatformRecord & { record_type: string; module_name: string }

/** What changed; null empties a field. */
export type RecordChanges = { data: object; full_name?: string }

/** One call of the receiver, as it is kept and sent. */
export type Push = {
  id: string
  method: 'POST' | 'PATCH'
  /** Pushes with the same one reach the hub in their order. */
  recordKey: string
  /** RFC 3339: an older push never overwrites a newer one. */
  occurredAt: string
  /** As it goes on the wire. */
  body: string
}

/** A push that is checked and written down, but for when it occurred. */
export type PushDraft = Pick<Push, 'method' | 'recordKey'> & { content: string }

/** @throws TypeError that names what the hub would refuse, or what JSON cannot say. */
export function draftNewRecord(record: NewRecord): PushDraft {
  const { record_type, module_name, reference_number, full_name, data } = record
  const names = { module_name, record_type, reference_number, full_name }
  return makeDraft('POST', names, data)
}

/** @throws TypeError as {@link draftNewRecord}. */
export function draftChanges(reference: RecordReference, changes: RecordChanges): PushDraft {
  const { record_type, reference_number } = reference
  const { full_name, data } = changes
  const names = { record_type, reference_number, ...(full_name === undefined ? {} : { full_name }) }
  return makeDraft('PATCH', names, data)
}

export function finishPush({ content, ...draft }: PushDraft, occurredAt: string): Push {
  const body = `${content.slice(0, -1)},"occurred_at":${JSON.stringify(occurredAt)}}`
  return { id: crypto.randomUUID(), ...draft, occurredAt, body }
}

type Names = RecordReference & { module_name?: string; full_name?: string }

function makeDraft(method: Push['method'], names: Names, data: object): PushDraft {
  const fault = findNameFault(names) ?? findDataFault(data, 'fault')
  const { record_type, reference_number } = names
  if (fault !== null) {
    throw new TypeError(
      `The push of ${record_type} "${reference_number}" cannot be sent: ${fault}.`,
    )
  }
  return {
    method,
    recordKey: JSON.stringify([record_type, reference_number]),
    content: JSON.stringify({ ...names, data }),
  }
}

function findNameFault(names: Names): string | null {
  for (const [name, text] of Object.entries(names)) {
    if (typeof text !== 'string') return `${name} is no text`
    const fault = findTextFault(text)
    if (fault !== null) return `${name} ${fault}`
  }
  if (names.record_type === '') return 'record_type is empty'
  if (names.reference_number === '') return 'reference_number is empty'
  if (new TextEncoder().encode(names.reference_number).length > MAX_REFERENCE_BYTES) {
    return `reference_number is longer than ${MAX_REFERENCE_BYTES} bytes`
  }
  return null
}
