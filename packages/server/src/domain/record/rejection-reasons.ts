import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'

/** Maximum number of listed reasons. The rejected records are stored with their reasons as well. */
const MAX_REASONS = 5

/**
 * Describes why elements of one read were rejected, in the order in which the reasons occurred first.
 * @param rejected `others` were rejected for further reasons.
 * @param stored the number of rejected elements that were stored.
 */
export function describeReasons(
  { reasons, others }: { reasons: readonly [reason: string, count: number][]; others: number },
  stored: number,
): string[] {
  const listed = reasons.slice(0, MAX_REASONS)
  const sumOf = (some: typeof reasons) => some.reduce((sum, [, count]) => sum + count, 0)
  const all = sumOf(reasons) + others
  const unlisted = all - sumOf(listed)
  return [
    ...listed.map(([reason, count]) => `${count} rejected: ${reason}`),
    ...(unlisted > 0 ? [`${unlisted} rejected for other reasons.`] : []),
    ...(stored < all
      ? [`Only the first ${stored} of the ${all} rejected records are stored.`]
      : []),
  ]
}

/**
 * Summarizes the rejected elements of one read with their most frequent reason: "12 of 5,000 records rejected: …"; null
 * without any. It names no reference number, since an erasure does not search the errors of pulls: `withFirstReference`
 * adds one when a task is read.
 * @param received the number of all elements.
 */
export function summarizeRejections(
  { reasons, others }: { reasons: readonly [reason: string, count: number][]; others: number },
  received: number,
): string | null {
  const [most] = reasons.toSorted(([, one], [, other]) => other - one)
  if (!most) return null
  const [reason, count] = most
  const rejected = reasons.reduce((sum, [, one]) => sum + one, others)
  const [all, of, mostly] = [received, rejected, count].map((one) => one.toLocaleString('en-US'))
  const share = count === rejected ? '' : `, ${mostly} of them`
  return `${of} of ${all} records rejected${share}: ${reason}`
}

/**
 * Adds the record that was rejected first to the error of a task that stored none.
 * @param body the rejected body; undefined if it is not stored, or has been erased since.
 */
export function withFirstReference(error: string, body: JsonValue | undefined): string {
  if (!isJsonObject(body)) return error
  const { reference_number: reference } = body
  // A reference that is a number is a frequent reason for a rejection.
  const isShown =
    typeof reference === 'number' || (typeof reference === 'string' && reference !== '')
  return isShown ? `${error} The first one has the reference number ${reference}.` : error
}

/**
 * Describes a duplicate: an element whose reference number an earlier element of the same read has. Positions are
 * those in `records`, from 1, counted over pages.
 * @param reference null if the message must not contain it.
 * @param positions `first` is null if it is unknown.
 */
export function describeDuplicate(
  reference: string | null,
  { first, position }: { first: number | null; position: number },
): string {
  const [firstAt, at] = [first, position].map((number) => number?.toLocaleString('en-US'))
  const subject = reference === null ? 'This reference number' : `Reference number ${reference}`
  const sent = firstAt === undefined ? 'earlier in this pull' : `at position ${firstAt}`
  return `${subject} was already sent ${sent}; this one is at position ${at}. The first one was kept.`
}
