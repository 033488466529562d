/** The response of a platform to a request for the digest of a module. */
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { type BucketSum, isPrefix, SUM_MODULUS } from '../../domain/record/digest-sums.ts'

/** The buckets to request: of so many hex digits, all of them or those that begin with one of the prefixes. */
export type DigestQuery = { digits: number; prefixes: readonly string[] | null }

export type DigestAnswer =
  /** `bytes`: the size of the response, decompressed. */
  | { outcome: 'digest'; buckets: BucketSum[]; bytes: number }
  /** There is no such endpoint, or it responds with something else. */
  | { outcome: 'unsupported' }
  /** It is a digest that cannot be used. */
  | { outcome: 'invalid'; reason: string }

/** A bucket is about 30 bytes; platforms may indent their JSON. */
const BYTES_PER_BUCKET = 128
const BYTES_BESIDE = 64 * 1024
/** Maximum number of records in a bucket, so that the number in all buckets is exact. */
const MAX_RECORDS = 2 ** 32
/** A response of at most 32 buckets fits in one packet, so compression would cost time and save none. */
const MAX_UNCOMPRESSED_BUCKETS = 32

/** The query of a request. The commas are not escaped, since a prefix contains none. */
export function toQueryText({ digits, prefixes }: DigestQuery): string {
  return `digits=${digits}${prefixes ? `&prefix=${prefixes.join(',')}` : ''}`
}

/** The number of buckets that a response may have. */
function maxBuckets({ digits, prefixes }: DigestQuery): number {
  const selected = prefixes ?? ['']
  return selected.reduce((sum, prefix) => sum + 16 ** (digits - prefix.length), 0)
}

/** Whether the response may be so long that it should be compressed. */
export function isLong(query: DigestQuery): boolean {
  return maxBuckets(query) > MAX_UNCOMPRESSED_BUCKETS
}

/** The maximum size of a response, in bytes. */
export function maxDigestBytes(query: DigestQuery): number {
  return BYTES_BESIDE + maxBuckets(query) * BYTES_PER_BUCKET
}

/** Reads a response. Its other members must have been checked. */
export function readDigest(
  value: JsonValue,
  query: DigestQuery,
): { buckets: BucketSum[] } | { reason: string } | null {
  if (!isJsonObject(value) || !Array.isArray(value['buckets'])) return null
  const { digits, buckets } = value
  if (digits !== query.digits) return { reason: `its digits are not ${query.digits}` }
  const read: BucketSum[] = []
  const known = new Set<string>()
  for (const [index, bucket] of buckets.entries()) {
    const at = `its bucket ${index + 1}`
    if (!Array.isArray(bucket) || bucket.length !== 3) {
      return { reason: `${at} is not a list of a prefix, a number and a sum` }
    }
    const [prefix, number, sum] = bucket
    if (typeof prefix !== 'string' || prefix.length !== query.digits || !isPrefix(prefix)) {
      return { reason: `${at} does not begin with ${query.digits} lower-case hex digits` }
    }
    if (known.has(prefix)) return { reason: `it contains the bucket ${prefix} twice` }
    if (query.prefixes && !query.prefixes.some((one) => prefix.startsWith(one))) {
      return { reason: `it contains the bucket ${prefix}, which was not requested` }
    }
    known.add(prefix)
    const records = toInteger(number)
    if (records === null || records < 1 || records > MAX_RECORDS) {
      return { reason: `the number of records of ${at} is not an integer from 1 to 2^32` }
    }
    const total = toInteger(sum)
    if (total === null || total >= SUM_MODULUS) {
      return { reason: `the sum of ${at} is not an integer from 0 to 2^48 - 1` }
    }
    read.push({ prefix, count: records, sum: total })
  }
  return { buckets: read }
}

/** An integer that is not negative, as a number or as a text of digits; null for anything else. */
function toInteger(value: JsonValue | undefined): number | null {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : null
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
