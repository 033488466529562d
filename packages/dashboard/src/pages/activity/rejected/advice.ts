import type { RejectedPush } from '@recordhub/protocol'

const ADVICE: Readonly<Record<string, string>> = {
  module_not_registered:
    'Register the module on the page of its platform, then replay this push. If the record type is misspelled, fix the body here, and ask the owner of the platform to fix the platform.',
  invalid_record:
    'Fix the values listed above, test the body and replay it. Ask the owner of the platform to fix the platform, or its next push will be rejected too.',
  drift_rejected:
    'The module rejects records that do not match its manifest. Fix the body, refresh the manifest, or accept drift on the page of the platform. Then replay this push.',
  duplicate_reference:
    'The platform lists this reference number twice, and the first record was kept. Ask the owner of the platform to fix it. Replay this record only if it is the correct one.',
  too_many_keys:
    'Updates have added keys to the record up to the maximum of HUB_MAX_RECORD_KEYS. Ask the owner of the platform to use fixed keys, and to send the whole record once.',
  record_not_storable:
    'The database rejected the record, usually because of its size or a character. Fix the body and replay it, or check the log of the hub.',
  key_was_removed:
    'The body contained an API key, which was removed before the body was saved. Enter the original value and replay it.',
}

/** Advice on how to resolve a rejection. */
export function adviceFor({ code }: Pick<RejectedPush, 'code'>): string {
  return ADVICE[code] ?? 'Fix the body, test it and replay it.'
}

/** The rejection that was sent to the platform; null for a pulled record, and for a push that was accepted and held. */
export function responseSent(
  rejected: Pick<RejectedPush, 'method' | 'code' | 'message' | 'request_id' | 'errors'>,
): string | null {
  const { method, code, message, request_id, errors } = rejected
  if (method === 'pull' || code === 'held') return null
  const hasErrors = Object.keys(errors).length > 0
  const response = { success: false, code, message, request_id, ...(hasErrors ? { errors } : {}) }
  return JSON.stringify(response, null, 2)
}

/** Why {@link responseSent} has none. */
export function noResponseLabel({ method }: Pick<RejectedPush, 'method'>): string {
  return method === 'pull'
    ? 'None. The hub read this record in a pull.'
    : 'The push was accepted, without what a revert holds.'
}

/** The reference number in a body, if it has one. An invalid one that is a number is displayed as well. */
export function referenceOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reference_number' in body)) return '—'
  const { reference_number } = body
  if (typeof reference_number === 'number') return String(reference_number)
  return typeof reference_number === 'string' && reference_number !== '' ? reference_number : '—'
}
