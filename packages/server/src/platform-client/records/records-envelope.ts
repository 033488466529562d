import { HubError } from '../../errors.ts'
import { findReportedFailure } from '../request/error-message.ts'
import { quoteRedacted } from '../request/redact-key.ts'

/** The maximum length of a quoted name or Content-Type of a platform. */
const MAX_QUOTED = 200
const WITHOUT_SUCCESS =
  'Without "success": true, it proves nothing: no record is marked as missing, and the module is not verified.'

/**
 * Checks the members outside of `records`: returns the error when the response reports a failure, or is of another
 * platform or module; null otherwise. Missing members are not an error.
 */
export function findEnvelopeError(
  envelope: Readonly<Record<string, unknown>>,
  expected: { platform_name: string; record_type: string },
  from: { path: string; key: string },
): HubError | null {
  const { platform_name, record_type } = envelope
  const failure = findReportedFailure(envelope, from)
  if (failure) return failure
  if (typeof platform_name === 'string' && platform_name !== expected.platform_name) {
    return new HubError('platform_name_differs', {
      got: quoteRedacted(platform_name, from.key, MAX_QUOTED),
      expected: expected.platform_name,
    })
  }
  if (typeof record_type === 'string' && record_type !== expected.record_type) {
    const got = quoteRedacted(record_type, from.key, MAX_QUOTED)
    const reason = `its record_type is "${got}", not "${expected.record_type}"`
    return new HubError('platform_response_invalid', { path: from.path, reason })
  }
  return null
}

/** The required members of a records response (specification 2.5) that are missing or have an invalid value. */
export function findMissingMembers(envelope: Readonly<Record<string, unknown>>): string[] {
  const { success, platform_name, record_type } = envelope
  const isPresent: [string, boolean][] = [
    ['success', success !== undefined],
    ['platform_name', typeof platform_name === 'string'],
    ['record_type', typeof record_type === 'string'],
    ['total', totalOf(envelope) !== null],
  ]
  return isPresent.flatMap(([member, present]) => (present ? [] : [member]))
}

/** The warning that a response or one of its pages lacks these members; null without any. */
export function describeMissingMembers(members: ReadonlySet<string>): string | null {
  const [first, ...others] = [...members].map((member) => `"${member}"`)
  if (first === undefined) return null
  const [noun, verb] = others.length === 0 ? ['member', 'is'] : ['members', 'are']
  const lacks = `The response lacks the ${noun} ${[first, ...others].join(', ')}, which ${verb} required in a records response.`
  return members.has('success') ? `${lacks} ${WITHOUT_SUCCESS}` : lacks
}

/** The warning about the Content-Type of a JSON response; null if it is right. */
export function describeContentType(response: { contentType: string; key: string }): string | null {
  if (/json/i.test(response.contentType)) return null
  const type = quoteRedacted(response.contentType, response.key, MAX_QUOTED) || 'missing'
  return `The response is JSON, but its Content-Type is ${type}. Send application/json.`
}

/**
 * The `total` of a response; null without a valid one. A total may be a string, since some databases return counts as
 * strings.
 */
export function totalOf({ total }: Readonly<Record<string, unknown>>): number | null {
  const count = typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : total
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}
