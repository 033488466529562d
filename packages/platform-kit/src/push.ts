import { MAX_REFERENCE_BYTES } from '@recordhub/protocol/constants'
import { findDataIssue } from './find-data-issue.ts'
import type { PlatformRecord } from './platform.ts'
import { findTextIssue } from './text.ts'

/** Identifies a record. */
export type RecordReference = { record_type: string; reference_number: string }

/** A record with its module, as in the body of a POST. */
export type NewRecord = PlatformRecord & { record_type: string; module_name: string }

/** The changed fields; null clears a field. */
export type RecordChanges = { data: object; full_name?: string }

/** One request to the hub, as it is stored and sent. */
export type Push = {
  id: string
  method: 'POST' | 'PATCH'
  /** Pushes with the same key reach the hub in order. */
  recordKey: string
  /** An RFC 3339 time: an older push never overwrites a newer one. */
  occurredAt: string
  /** The body of the request, as JSON. */
  body: string
}

/** A validated push without its id and time. `content` is its JSON body without `occurred_at`. */
export type PushDraft = Pick<Push, 'method' | 'recordKey'> & { content: string }

/** @throws TypeError that names the value that the hub would reject, or that JSON cannot represent. */
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
  const issue = findNameIssue(names) ?? findDataIssue(data, 'issue')
  const { record_type, reference_number } = names
  if (issue !== null) {
    throw new TypeError(
      `The push of ${record_type} "${reference_number}" cannot be sent: ${issue}.`,
    )
  }
  return {
    method,
    recordKey: JSON.stringify([record_type, reference_number]),
    content: JSON.stringify({ ...names, data }),
  }
}

function findNameIssue(names: Names): string | null {
  for (const [name, text] of Object.entries(names)) {
    if (typeof text !== 'string') return `${name} is not a string`
    const issue = findTextIssue(text)
    if (issue !== null) return `${name} ${issue}`
  }
  if (names.record_type === '') return 'record_type is empty'
  if (names.reference_number === '') return 'reference_number is empty'
  if (new TextEncoder().encode(names.reference_number).length > MAX_REFERENCE_BYTES) {
    return `reference_number is longer than ${MAX_REFERENCE_BYTES} bytes`
  }
  return null
}
