import type { RejectedPush } from '@recordhub/protocol'

const ADVICE: Readonly<Record<string, string>> = {
  module_not_registered:
    'Register the module on the page of its platform, then replay it as it is. Where the record type is misspelt, mend the body here and have the platform mended.',
  invalid_record:
    'Mend what the reasons name, try it, and replay it. Have the platform mended too, or the next push is refused again.',
  drift_rejected:
    'The module refuses records that do not go with its manifest. Mend the body, refresh the manifest, or let the module accept drift on the page of its platform; then replay it.',
  duplicate_reference:
    'The platform lists this reference number twice. The first one is stored. Have the platform mended; replay this one only if it is the right one.',
  record_not_storable:
    'The database refused it as it is, most often for its size or a character. Mend the body and replay it, and look at the log of the hub.',
  key_was_removed:
    'A key stood in the body and was removed when it was kept. Fill its place and replay it.',
}

/** What somebody can do about a refusal. */
export function adviceFor({ code }: Pick<RejectedPush, 'code'>): string {
  return ADVICE[code] ?? 'Mend the body, try it, and replay it.'
}

/** The answer that the platform was given; null for a pulled record, of which the platform was told nothing. */
export function answerOf({
  method,
  code,
  message,
  errors,
}: Pick<RejectedPush, 'method' | 'code' | 'message' | 'errors'>): string | null {
  if (method === 'pull') return null
  const isOfFields = Object.keys(errors).length > 0
  return JSON.stringify(
    { success: false, code, message, ...(isOfFields ? { errors } : {}) },
    null,
    2,
  )
}

/** The reference number in a body, as far as it tells one. */
export function referenceOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reference_number' in body)) return '–'
  const { reference_number } = body
  return typeof reference_number === 'string' && reference_number !== '' ? reference_number : '–'
}
