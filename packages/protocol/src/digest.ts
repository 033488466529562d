/**
 * The digest of a module: the number of its records and a sum over their versions, by bucket. Hub and platform compute it
 * from the same records, so equal sums mean equal versions, and a bucket that differs contains every difference.
 */

/** A bucket is named by the first hex digits of the MD5 of its references; eight of them are more than any module needs. */
export const MAX_DIGEST_DIGITS = 8

/** Maximum number of prefixes in one request. */
export const MAX_DIGEST_PREFIXES = 100

/** Maximum number of buckets that one request may ask for: five digits, or a hundred prefixes and three more digits. */
export const MAX_DIGEST_BUCKETS = 16 ** 5

/** Sums are modulo 2^48, so that a double represents them. */
export const SUM_MODULUS = 2 ** 48

/** Maximum length of a record's `version`, in UTF-8 bytes. */
export const MAX_VERSION_BYTES = 512

/** Between the reference and the version in the hashed text: UNIT SEPARATOR. */
const SEPARATOR = '\u001f'
const CONTRIBUTION_DIGITS = 12

/** The MD5 of the UTF-8 bytes of a text, as 32 lower-case hex digits. The caller passes one, as browsers have none. */
export type Md5 = (text: string) => string

/** The prefix of the bucket that a record belongs to. */
export function bucketOf(reference: string, digits: number, md5: Md5): string {
  return md5(reference).slice(0, digits)
}

/**
 * What a record adds to the sum of its bucket, from 0 to 2^48 - 1.
 * @param version an integer as its decimal digits. A platform passes "" for a record without a version: as no version is
 * empty, the bucket then differs from that of the hub, which reads the record and notices.
 */
export function contributionOf(reference: string, version: string, md5: Md5): number {
  return Number.parseInt(md5(reference + SEPARATOR + version).slice(0, CONTRIBUTION_DIGITS), 16)
}

/** Adds or, with a negative contribution, subtracts modulo 2^48. */
export function addToSum(sum: number, contribution: number): number {
  return (sum + contribution + SUM_MODULUS) % SUM_MODULUS
}

/**
 * The text of a `version` that is hashed: a text itself, an integer as its digits. Null for a value that is no version: an
 * empty, too long or unpaired text, one with U+0000, a fraction, a number with an exponent, or any other type.
 * @param value of an element that was parsed as JSON or as lossless JSON.
 */
export function readVersion(value: unknown): string | null {
  if (typeof value === 'string') return isVersionText(value) ? value : null
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  const { rawJSON }: { rawJSON?: unknown } = Object(value)
  const isInteger = typeof rawJSON === 'string' && /^-?(?:0|[1-9]\d{0,99})$/.test(rawJSON)
  return isInteger ? rawJSON : null
}

function isVersionText(text: string): boolean {
  return (
    text !== '' &&
    !text.includes('\u0000') &&
    text.length <= MAX_VERSION_BYTES &&
    text.isWellFormed() &&
    new TextEncoder().encode(text).length <= MAX_VERSION_BYTES
  )
}

export type DigestRequest = {
  digits: number
  /** Without repetitions; null for all buckets. */
  prefixes: readonly string[] | null
}

/** @property issue says what is wrong with a parameter, as a sentence for the caller. */
export type ParsedParameters<Value> = { value: Value } | { issue: string }

/**
 * Reads the parameters of a digest request: `digits` from 1 to 8, and a `prefix` as {@link parsePrefixes} reads it, none
 * longer than `digits`. A request that asks for more than 1,048,576 buckets is rejected.
 * @param parameters the values of the query; null for a parameter that is absent.
 */
export function parseDigestRequest(parameters: {
  digits: string | null
  prefix: string | null
}): ParsedParameters<DigestRequest> {
  if (!/^[1-8]$/.test(parameters.digits ?? '')) {
    return { issue: `digits must be a number from 1 to ${MAX_DIGEST_DIGITS}.` }
  }
  const digits = Number(parameters.digits)
  const parsed = parsePrefixes(parameters.prefix)
  if ('issue' in parsed) return parsed
  const prefixes = parsed.value
  if (prefixes?.some((prefix) => prefix.length > digits)) {
    return { issue: 'A prefix has more digits than the buckets that are asked for.' }
  }
  const buckets = (prefixes ?? ['']).map((prefix) => 16 ** (digits - prefix.length))
  if (buckets.reduce((sum, count) => sum + count, 0) > MAX_DIGEST_BUCKETS) {
    return { issue: `More than ${MAX_DIGEST_BUCKETS} buckets: ask for fewer digits or prefixes.` }
  }
  return { value: { digits, prefixes } }
}

/**
 * Reads a `prefix` parameter: one to 100 prefixes between commas, each of 1 to 8 lower-case hex digits. Repeated ones count
 * once.
 * @param text null if the parameter is absent, which selects all records.
 */
export function parsePrefixes(text: string | null): ParsedParameters<string[] | null> {
  if (text === null) return { value: null }
  const prefixes = text.length > MAX_PREFIX_TEXT ? null : text.split(',')
  if (!prefixes || prefixes.length > MAX_DIGEST_PREFIXES) {
    return { issue: `prefix may have at most ${MAX_DIGEST_PREFIXES} prefixes.` }
  }
  if (!prefixes.every((prefix) => /^[0-9a-f]{1,8}$/.test(prefix))) {
    return {
      issue: 'Each prefix must have 1 to 8 lower-case hex digits, with commas between them.',
    }
  }
  return { value: [...new Set(prefixes)] }
}

const MAX_PREFIX_TEXT = MAX_DIGEST_PREFIXES * (MAX_DIGEST_DIGITS + 1)

/** Whether the MD5 of a reference begins with one of the prefixes; true for null, which selects all. */
export function createPrefixFilter(
  prefixes: readonly string[] | null,
): (referenceMd5: string) => boolean {
  if (!prefixes) return () => true
  const known = new Set(prefixes)
  const lengths = [...new Set(prefixes.map((prefix) => prefix.length))]
  return (referenceMd5) => lengths.some((length) => known.has(referenceMd5.slice(0, length)))
}

export type DigestSums = Map<string, { count: number; sum: number }>

/**
 * Collects a digest from records one by one. The order of the records does not matter.
 * @returns `add`, and the buckets so far, which it changes.
 */
export function createDigest(
  { digits, prefixes }: DigestRequest,
  md5: Md5,
): { add: (reference: string, version: string) => void; buckets: DigestSums } {
  const buckets: DigestSums = new Map()
  const isSelected = createPrefixFilter(prefixes)
  return {
    buckets,
    add(reference, version) {
      const hash = md5(reference)
      if (!isSelected(hash)) return
      const prefix = hash.slice(0, digits)
      const { count, sum } = buckets.get(prefix) ?? { count: 0, sum: 0 }
      const contribution = contributionOf(reference, version, md5)
      buckets.set(prefix, { count: count + 1, sum: addToSum(sum, contribution) })
    },
  }
}
