import {
  createPrefixFilter,
  type DigestRequest,
  type DigestSums,
  MAX_DIGEST_BUCKETS,
  SUM_MODULUS,
} from './digest.ts'

/** @property reason says what is wrong, after "the digest": "has no list of buckets". */
export type ReadDigest =
  | { outcome: 'digest'; buckets: DigestSums }
  | { outcome: 'invalid'; reason: string }

type Expected = DigestRequest & { record_type: string; platform_name: string | null }

/**
 * Reads the body of a digest response, which may be any JSON.
 * @param expected the request, and the names that the response must have; null for any platform.
 */
export function readDigestResponse(body: unknown, expected: Expected): ReadDigest {
  const { success, platform_name, record_type, digits, buckets }: Record<string, unknown> = {
    ...Object(body),
  }
  if (!Array.isArray(buckets)) return invalid('has no list of buckets')
  if (success !== true) return invalid('has no "success": true')
  if (record_type !== expected.record_type) return invalid('has another record_type')
  const isNamed = expected.platform_name === null || platform_name === expected.platform_name
  if (!isNamed) return invalid('has another platform_name')
  if (digits !== expected.digits) return invalid(`does not have the digits ${expected.digits}`)
  if (buckets.length > MAX_DIGEST_BUCKETS) return invalid('has too many buckets')
  return readBuckets(buckets, expected)
}

function readBuckets(buckets: unknown[], { digits, prefixes }: DigestRequest): ReadDigest {
  const sums: DigestSums = new Map()
  const isSelected = createPrefixFilter(prefixes)
  for (const bucket of buckets) {
    const [prefix, count, total]: unknown[] = Array.isArray(bucket) ? bucket : []
    if (typeof prefix !== 'string' || prefix.length !== digits || !/^[0-9a-f]+$/.test(prefix)) {
      return invalid(`has a bucket whose prefix is not of ${digits} lower-case hex digits`)
    }
    const sum = typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : total
    if (!isCount(count) || !isCount(sum) || count === 0 || sum >= SUM_MODULUS) {
      return invalid(`has no valid count and sum for the bucket ${prefix}`)
    }
    if (sums.has(prefix)) return invalid(`has the bucket ${prefix} twice`)
    if (!isSelected(prefix)) return invalid(`has the bucket ${prefix}, which was not asked for`)
    sums.set(prefix, { count, sum })
  }
  return { outcome: 'digest', buckets: sums }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function invalid(reason: string): ReadDigest {
  return { outcome: 'invalid', reason }
}
