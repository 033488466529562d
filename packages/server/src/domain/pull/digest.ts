/**
 * Comparing a module with the digest of its platform: which buckets differ, and which of them a pull reads. Pure. A bucket
 * has the records whose `md5(reference)` begins with its hex digits (`domain/record/digest-sums.ts`).
 */
import {
  addSums,
  type BucketSum,
  MAX_DIGITS,
  STORED_DIGITS,
  subtractSums,
} from '../record/digest-sums.ts'

/** The number of records of a bucket and the sum of their versions. */
export type Sums = { count: number; sum: number }

/** The buckets of one level by their prefix. Empty ones are left out. */
export type Buckets = ReadonlyMap<string, Sums>

/** A bucket that is known to differ, with the sums of both sides at that time. */
export type KnownDifference = { prefix: string; remote: Sums; local: Sums }

export type DifferingBucket = { prefix: string; remote: Sums; local: Sums }

/** Records in a bucket of the first request, about. */
const RECORDS_PER_BUCKET = 1000
/** A refined bucket has 256 finer ones. */
const REFINED_DIGITS = 2
/** Fewer records in the differing buckets are read without refining them first. */
const MIN_TO_REFINE = 200
/** A pull reads this number of records by bucket even if they are more than a quarter of the module. */
const MIN_BUDGET = 1000

/** Maximum number of prefixes in one request. */
export const MAX_PREFIXES = 100

/** How many requests a comparison may make: after the first digest, finer digests and lists of records. */
export type RequestLimits = { refine: number; read: number }

/** Without an index, each request is a scan of the platform's table: three in all, or as many as take 3 s, 5 % of a minute. */
const MAX_COMPARISON_MS = 3000
const MAX_LIMITS: RequestLimits = { refine: 8, read: 10 }

/** @param digestMs how long the platform took for the digest of the whole module. */
export function limitRequests(digestMs: number): RequestLimits {
  const { refine, read } = MAX_LIMITS
  const share = (MAX_COMPARISON_MS / digestMs - 1) / (refine + read)
  const limit = (max: number) => Math.min(Math.max(Math.floor(share * max), 1), max)
  return { refine: limit(refine), read: limit(read) }
}

const NONE: Sums = { count: 0, sum: 0 }

/**
 * What a stored record without a version adds to the sum of its bucket. A platform adds nothing for a record without a version,
 * or a hash, so that such a bucket differs, and the record is read.
 */
export const UNVERSIONED_SUM = 1

/** The digits with which a bucket of a module has about a thousand records, among those that the hub stores sums of. */
export function chooseDigits(records: number): number {
  const digits = Math.round(Math.log(records / RECORDS_PER_BUCKET) / Math.log(16))
  return Math.min(Math.max(digits, 1), STORED_DIGITS)
}

export function toBuckets(sums: readonly BucketSum[]): Map<string, Sums> {
  return new Map(sums.map(({ prefix, count, sum }) => [prefix, { count, sum }]))
}

/** Adds up the sums of finer buckets. */
export function groupBuckets(buckets: Iterable<[string, Sums]>, digits: number): Map<string, Sums> {
  const grouped = new Map<string, Sums>()
  for (const [prefix, sums] of buckets) {
    const key = prefix.slice(0, digits)
    grouped.set(key, plus(grouped.get(key) ?? NONE, sums))
  }
  return grouped
}

export function plus(one: Sums, other: Sums): Sums {
  return { count: one.count + other.count, sum: addSums(one.sum, other.sum) }
}

export function addBuckets(one: Buckets, other: Buckets): Buckets {
  const sums = new Map(one)
  for (const [prefix, sum] of other) sums.set(prefix, plus(sums.get(prefix) ?? NONE, sum))
  return sums
}

export function minus(one: Sums, other: Sums): Sums {
  return { count: one.count - other.count, sum: subtractSums(one.sum, other.sum) }
}

export function isSame(one: Sums, other: Sums): boolean {
  return one.count === other.count && one.sum === other.sum
}

export function addUp(buckets: Buckets): Sums {
  let total = NONE
  for (const sums of buckets.values()) total = plus(total, sums)
  return total
}

/**
 * Whether the totals of both sides prove that all buckets are equal. Each version of a record adds the same random hash to
 * the same bucket on both sides, so different versions have equal totals as seldom as equal buckets. Nothing else may count:
 * a record without a version adds nothing to a sum, and a known difference may hide another one.
 */
export function hasEqualTotals(
  remote: Buckets,
  local: Sums & { hasUnversioned: boolean },
  known: readonly unknown[],
): boolean {
  return known.length === 0 && !local.hasUnversioned && isSame(addUp(remote), local)
}

/**
 * Finds the buckets of one level that differ. A bucket is equal if its sums differ by exactly what the known differences in
 * it explain; a known difference of a coarser bucket explains nothing here.
 */
export function findDiffering(
  { remote, local, known }: { remote: Buckets; local: Buckets; known: readonly KnownDifference[] },
  digits: number,
): DifferingBucket[] {
  const within = known.filter(({ prefix }) => prefix.length >= digits)
  const expected = groupBuckets(
    within.map((one): [string, Sums] => [one.prefix, minus(one.remote, one.local)]),
    digits,
  )
  const differing: DifferingBucket[] = []
  for (const prefix of [
    ...new Set([...remote.keys(), ...local.keys(), ...expected.keys()]),
  ].sort()) {
    const there = remote.get(prefix) ?? NONE
    const here = local.get(prefix) ?? NONE
    if (isSame(there, plus(here, expected.get(prefix) ?? NONE))) continue
    differing.push({ prefix, remote: there, local: here })
  }
  return differing
}

/** The digits of the finer buckets to request in place of these; null if these are read as they are. */
export function planRefinement(
  differing: readonly DifferingBucket[],
  digits: number,
  limits: RequestLimits,
): number | null {
  const records = differing.reduce((sum, { remote }) => sum + remote.count, 0)
  const isPossible = digits < MAX_DIGITS && differing.length <= limits.refine * MAX_PREFIXES
  if (!isPossible || records < MIN_TO_REFINE) return null
  return Math.min(digits + REFINED_DIGITS, MAX_DIGITS)
}

export type ReadPlan =
  | { outcome: 'read'; buckets: DifferingBucket[]; isPartial: boolean }
  /** More than a quarter of the records. */
  | { outcome: 'too_different' }

/**
 * Decides which of the differing buckets a pull reads. `levels` are the finest buckets that were compared and, if these are
 * too many for the requests, coarser ones that contain them.
 * @param mayReadInFull if not, the pull reads as many buckets as a quarter of the records allows, and at least one.
 */
export function planRead(
  levels: readonly (readonly DifferingBucket[])[],
  {
    records,
    mayReadInFull,
    limits,
  }: { records: number; mayReadInFull: boolean; limits: RequestLimits },
): ReadPlan {
  const maxPrefixes = limits.read * MAX_PREFIXES
  const fitting = levels.find((level) => level.length <= maxPrefixes)
  const buckets = fitting ?? levels.at(-1) ?? []
  const differing = buckets.reduce(
    (sum, one) => sum + Math.max(one.remote.count, one.local.count),
    0,
  )
  const isTooDifferent = differing > records / 4 || !fitting
  if (!isTooDifferent) return { outcome: 'read', buckets: [...buckets], isPartial: false }
  if (mayReadInFull) return { outcome: 'too_different' }
  const budget = Math.max(records / 4, MIN_BUDGET)
  const selected: DifferingBucket[] = []
  let left = budget
  for (const bucket of buckets) {
    if (selected.length === maxPrefixes) break
    const { count } = bucket.remote
    if (selected.length > 0 && count > left) continue
    selected.push(bucket)
    left -= count
  }
  return { outcome: 'read', buckets: selected, isPartial: selected.length < buckets.length }
}

/** Divides prefixes into requests. */
export function toRequests(prefixes: readonly string[]): string[][] {
  const requests: string[][] = []
  for (let at = 0; at < prefixes.length; at += MAX_PREFIXES) {
    requests.push(prefixes.slice(at, at + MAX_PREFIXES))
  }
  return requests
}

/** Replaces the sums of the buckets that were requested more finely by the sums of the finer ones, which are newer. */
export function replaceRefined(
  remote: Buckets,
  refined: { prefixes: readonly string[]; buckets: Buckets },
  digits: number,
): Map<string, Sums> {
  const replaced = new Map(remote)
  for (const prefix of refined.prefixes) replaced.delete(prefix)
  for (const [prefix, sums] of groupBuckets(refined.buckets, digits)) replaced.set(prefix, sums)
  return replaced
}
