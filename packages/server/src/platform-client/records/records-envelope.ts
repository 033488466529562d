import { HubError } from '../../errors.ts'
import { quoteRedacted } from '../request/redact-key.ts'
import { findReportedFailure } from '../request/request-error.ts'

/** Of a name that a platform gives, so much is quoted. */
const MAX_QUOTED = 200

/**
 * Why the hub does not take an answer for the records of a module, by the members outside of `records`; null where it
 * does. What is left out is not held against it.
 */
export function findEnvelopeFault(
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
    const reason = `it says that it holds "${got}", not "${expected.record_type}"`
    return new HubError('platform_answer_invalid', { path: from.path, reason })
  }
  return null
}

/** The members that a records response must have (specification 2.5) and lacks, or has with an unusable value. */
export function findMissingMembers(envelope: Readonly<Record<string, unknown>>): string[] {
  const { success, platform_name, record_type } = envelope
  const isPresent: [string, boolean][] = [
    ['success', success === true],
    ['platform_name', typeof platform_name === 'string'],
    ['record_type', typeof record_type === 'string'],
    ['total', totalOf(envelope) !== null],
  ]
  return isPresent.flatMap(([member, present]) => (present ? [] : [member]))
}

/** That a response, or at least one of its pages, lacks these members; null where it lacks none. */
export function describeMissingMembers(members: Iterable<string>): string | null {
  const [first, ...others] = [...members].map((member) => `"${member}"`)
  if (first === undefined) return null
  const [noun, verb] = others.length === 0 ? ['member', 'is'] : ['members', 'are']
  return `The response lacks the ${noun} ${[first, ...others].join(', ')}, which ${verb} required in a records response.`
}

/**
 * The number of records that an answer says it has, also as text, as some databases hand out a count; null where it
 * does not say one.
 */
export function totalOf({ total }: Readonly<Record<string, unknown>>): number | null {
  const count = typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : total
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}
