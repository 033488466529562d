/**
 * Sums over buckets of records, by which the hub and a platform compare the content of a module. A bucket contains the
 * records whose `md5(reference)` begins with the same hex digits. Its sum adds the hashes of their versions modulo 2^48.
 */
import { hash } from 'node:crypto'

/** Sums stay below twice this number before they are reduced, so JavaScript adds them exactly. */
export const SUM_MODULUS = 2 ** 48

/** The hex digits of the buckets whose sums are stored: 4096 buckets. */
export const STORED_DIGITS = 3

/** The hex digits of `md5(reference)` that are stored with a record: no bucket is finer. */
export const MAX_DIGITS = 6

/** Separates the reference and the version in the text that is hashed (U+001F). */
const SEPARATOR = '\u001f'

/** The records of a bucket that have a version. `sum` is below 2^48. */
export type BucketSum = {
  /** The lower-case hex digits of the bucket. */
  prefix: string
  count: number
  sum: number
}

/** The first {@link MAX_DIGITS} hex digits of `md5(reference)` as an integer. Takes about a microsecond. */
export function hashOfReference(reference: string): number {
  return Number.parseInt(hash('md5', reference, 'hex').slice(0, MAX_DIGITS), 16)
}

/** What a record adds to the sum of its bucket: the first 12 hex digits of the md5 of its reference and version. */
export function hashOfVersion(reference: string, version: string): number {
  const digest = hash('md5', `${reference}${SEPARATOR}${version}`, 'hex')
  return Number.parseInt(digest.slice(0, 12), 16)
}

/** Adds two sums below 2^48. */
export function addSums(one: number, other: number): number {
  return (one + other) % SUM_MODULUS
}

/** Subtracts a sum below 2^48. */
export function subtractSums(one: number, other: number): number {
  return (one - other + SUM_MODULUS) % SUM_MODULUS
}

/** The number of `hashOfReference` values in a bucket of so many digits. */
export function bucketSize(digits: number): number {
  return 16 ** (MAX_DIGITS - digits)
}

/** The hex digits of a bucket, from its position among the buckets of so many digits. */
export function toPrefix(position: number, digits: number): string {
  return digits === 0 ? '' : position.toString(16).padStart(digits, '0')
}

/** The first `digits` hex digits of a reference's md5. @param hashed the result of `hashOfReference`. */
export function prefixOf(hashed: number, digits: number): string {
  return toPrefix(Math.floor(hashed / bucketSize(digits)), digits)
}

const PREFIX = /^[0-9a-f]{0,6}$/

/** Whether a text is the prefix of a bucket that the hub can read: at most {@link MAX_DIGITS} lower-case hex digits. */
export function isPrefix(text: string): boolean {
  return PREFIX.test(text)
}

/** The `hashOfReference` values of a bucket: from `from`, below `end`. @throws RangeError if it is no prefix. */
export function rangeOf(prefix: string): { from: number; end: number } {
  if (!isPrefix(prefix)) throw new RangeError('Not a prefix of at most six hex digits')
  const size = bucketSize(prefix.length)
  const from = prefix === '' ? 0 : Number.parseInt(prefix, 16) * size
  return { from, end: from + size }
}
