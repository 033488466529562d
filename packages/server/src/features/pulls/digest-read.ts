/** What a pull that compared digests has proved: judges the buckets that it read, and remembers those that stay different. */
import { formatCount } from '../../domain/activity/activity.ts'
import {
  addUp,
  type DifferingBucket,
  findDiffering,
  groupBuckets,
  isSame,
  minus,
  plus,
  type Sums,
} from '../../domain/pull/digest.ts'
import type { BucketsRead } from '../../domain/pull/missing.ts'
import { STORED_DIGITS } from '../../domain/record/digest-sums.ts'
import type { ModuleDigest, RememberedBucket } from '../../storage/port/digest-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { DetectedOutcome } from './detect-missing.ts'
import {
  type Comparison,
  isReported,
  readLocalSums,
  toKnownDifferences,
} from './digest-comparison.ts'
import type { PullTaskContext, PullTaskOutcome } from './pull-task-accumulator.ts'
import type { VersionTally } from './version-tally.ts'

export type SettleDeps = Pick<FeatureDeps, 'digests' | 'clock'>

const NONE: Sums = { count: 0, sum: 0 }

/** What is left of the differences after the buckets were read. */
export type SettledDigest = {
  repaired: number
  explained: number
  /** The number of elements that were rejected, accepted exceptions included. */
  rejected: number
  /** The number of stored records that the platform does not have: they wait for a review, or a revert holds them. */
  absent: number
  /** The number of records of the platform, and of those that the hub has. */
  listed: number
  stored: number
  isVerified: boolean
  /** The claim that both sides have the same versions, as it is saved; nothing without one. */
  claim: Partial<ModuleDigest>
  /** The buckets whose list and digest disagree, as two pulls in a row have found. */
  warnings: string[]
}

/** The buckets that a pull has read, and of which their elements give the digest of the platform. */
export function judgeBuckets(
  { plan, differing }: Pick<Comparison, 'plan' | 'differing'>,
  { tally, error }: Pick<PullTaskOutcome, 'tally' | 'error'>,
): BucketsRead {
  const buckets = plan.outcome === 'read' && error === null ? plan.buckets : []
  const complete = buckets.filter((bucket) => isComplete(bucket, tally))
  const isPartial = plan.outcome !== 'read' || plan.isPartial
  const others = isPartial ? differing : buckets.filter((bucket) => !complete.includes(bucket))
  const unread = others.reduce((sum, { local }) => sum + local.count, 0)
  return { complete: complete.map(({ prefix }) => prefix), unread }
}

function isComplete({ prefix, remote }: DifferingBucket, tally: VersionTally): boolean {
  return tally.unidentified === 0 && isSame(tally.elements.get(prefix) ?? NONE, remote)
}

/**
 * Compares both sides again after the read, and decides whether they are equal. Saves the buckets that stay different for a
 * known reason.
 */
export async function settleDigest(
  deps: SettleDeps,
  { plan, pushes, digest_epoch: epoch }: Pick<PullTaskContext, 'plan' | 'pushes' | 'digest_epoch'>,
  comparison: Comparison,
  { outcome, history }: { outcome: DetectedOutcome; history: ModuleDigest },
): Promise<SettledDigest> {
  const { digests, clock } = deps
  const { digits, remote, differing, records } = comparison
  const now = clock.now()
  // Without any difference, nothing was read that could have changed the records.
  const isAlike = differing.length === 0 && comparison.remembered.length === 0
  // Counted before the sums are read: a record that is erased in between must not hide one that is in no bucket.
  const present = isAlike ? comparison.present : (await digests.readTotals(plan)).present
  const local = isAlike ? comparison.local : await readLocalSums(digests, plan, STORED_DIGITS)
  const change = planRemembered({ comparison, outcome, local, at: now.toISOString() })
  const isChanged = change.save.length > 0 || change.delete.length > 0
  const isSaved = !isChanged || (await digests.remember(plan, { ...change, epoch }))
  const replaced = new Set([...change.delete, ...change.save.map(({ prefix }) => prefix)])
  const remembered = [
    ...comparison.remembered.filter(({ prefix }) => !replaced.has(prefix)),
    ...(isSaved ? change.save : []),
  ]
  const known = toKnownDifferences(remembered, now)
  const left = findDiffering({ remote, local: groupBuckets(local, digits), known }, digits)
  const disagreements = remembered.filter((bucket) => isReported(bucket, now))
  const explained = remembered.reduce((sum, bucket) => sum + bucket.explained, 0)
  const not_stored = remembered.reduce((sum, bucket) => sum + bucket.not_stored, 0)
  const { unversioned, contentAlone } = outcome.tally
  const isEqual =
    left.length === 0 &&
    disagreements.length === 0 &&
    !(await hasUnseen(digests, plan, present - addUp(local).count))
  const isSound = history.withdrawn_at === null && unversioned + contentAlone === 0
  const isVerified = outcome.error === null && isEqual && isSound
  const claim: Partial<ModuleDigest> = {
    // What has changed since the request of the digest was not compared.
    verified_at: comparison.asked_at,
    verified_by: 'digest',
    verified_records: records - not_stored,
    verified_of: records,
    verified_explained: explained,
    verified_pushes: pushes - outcome.pushedBefore,
  }
  // Where the digest counts other records than the list has, those of the list count.
  const listed =
    records +
    remembered.reduce(
      (sum, one) => sum + (one.state === 'disagreement' ? one.local_count - one.remote_count : 0),
      0,
    )
  const open = new Set([...left, ...known].map(({ prefix }) => prefix.slice(0, digits)))
  return {
    repaired: differing.filter(({ prefix }) => !open.has(prefix)).length,
    explained,
    rejected: remembered.reduce((sum, bucket) => sum + bucket.rejected, 0),
    absent: explained - not_stored,
    listed,
    stored: listed - remembered.reduce((sum, bucket) => sum + countLacking(bucket), 0),
    isVerified,
    claim: isVerified ? claim : {},
    warnings: disagreements.map(describeDisagreement),
  }
}

/**
 * Whether present records are in no bucket although they were not anonymised. They were pushed before the module had
 * versions, and a digest does not show whether the platform has them: a read of the list does.
 */
async function hasUnseen(
  digests: SettleDeps['digests'],
  module: PullTaskContext['plan'],
  unseen: number,
): Promise<boolean> {
  return unseen > 0 && unseen > (await digests.countAnonymised(module))
}

/** Of the elements that are not stored with their version, those whose record the hub does not have. */
function countLacking(bucket: RememberedBucket): number {
  const absent = bucket.explained - bucket.not_stored
  return bucket.state === 'explained' ? bucket.remote_count - bucket.local_count + absent : 0
}

type Change = { save: RememberedBucket[]; delete: string[] }

/** Which buckets are remembered after a read, and which are deleted. */
function planRemembered(read: {
  comparison: Comparison
  outcome: DetectedOutcome
  local: ReadonlyMap<string, Sums>
  at: string
}): Change {
  const { comparison, outcome, local, at } = read
  const { plan, remembered } = comparison
  const buckets = plan.outcome === 'read' && outcome.error === null ? plan.buckets : []
  const complete = buckets.filter((bucket) => isComplete(bucket, outcome.tally))
  const others = buckets.filter((bucket) => !isComplete(bucket, outcome.tally))
  const overlapsAny = (some: readonly DifferingBucket[], prefix: string) =>
    some.some((one) => one.prefix.startsWith(prefix) || prefix.startsWith(one.prefix))
  const overlaps = ({ prefix }: { prefix: string }) => overlapsAny(complete, prefix)
  const explained = explainBuckets(outcome, local, at)
    .filter(overlaps)
    .map((bucket) => {
      const before = remembered.find((one) => one.prefix === bucket.prefix)
      return before && isSameExplanation(before, bucket)
        ? { ...bucket, since: before.since }
        : bucket
    })
  const disagreements =
    outcome.tally.unidentified > 0
      ? []
      : others.map((bucket) => toDisagreement(bucket, { remembered, outcome, at }))
  const save = [...explained, ...disagreements]
  const saved = new Set(save.map(({ prefix }) => prefix))
  // Where the sums are equal again, the source was moving, or its list and digest have been made to agree.
  const isSettled = (one: RememberedBucket) =>
    one.state === 'disagreement' &&
    !isReported(one, new Date(at)) &&
    !overlapsAny(comparison.differing, one.prefix)
  const deleted = remembered.filter(
    (one) => (overlaps(one) || isSettled(one)) && !saved.has(one.prefix),
  )
  return { save, delete: deleted.map(({ prefix }) => prefix) }
}

/**
 * The buckets that differ because the read did not store some of their elements, or because stored records that it did not
 * contain wait for a review.
 */
export function explainBuckets(
  { tally, waiting, outdated }: Pick<DetectedOutcome, 'tally' | 'waiting' | 'outdated'>,
  local: ReadonlyMap<string, Sums>,
  at: string,
): RememberedBucket[] {
  const { sumsNotStored, sumsRejected } = tally
  return [...new Set([...sumsNotStored.keys(), ...waiting.keys()])].map((prefix) => {
    const notStored = sumsNotStored.get(prefix) ?? NONE
    const absent = waiting.get(prefix) ?? NONE
    const here = local.get(prefix) ?? NONE
    const other = plus(absent, outdated.get(prefix) ?? NONE)
    const there = minus(plus(here, notStored), other)
    const explained = notStored.count + absent.count
    const not_stored = notStored.count
    const rejected = sumsRejected.get(prefix)?.count ?? 0
    const counts = { explained, not_stored, rejected }
    return toRemembered({ prefix, state: 'explained', there, here, ...counts, at })
  })
}

/**
 * A bucket whose elements do not give its digest: the source is moving, or its list and digest disagree. The record that it
 * names shows that the pull before found the same.
 */
function toDisagreement(
  { prefix, remote }: DifferingBucket,
  read: { remembered: readonly RememberedBucket[]; outcome: DetectedOutcome; at: string },
): RememberedBucket {
  const { remembered, outcome, at } = read
  const here = outcome.tally.elements.get(prefix) ?? NONE
  const found = toRemembered({
    prefix,
    state: 'disagreement',
    there: remote,
    here,
    ...{ explained: 0, not_stored: 0, rejected: 0 },
    at,
  })
  const before = remembered.find((one) => one.prefix === prefix && one.state === 'disagreement')
  if (!before || !isSameDifference(before, found)) return found
  const { reference_number = '', version = null } = outcome.tally.namedIn(prefix) ?? {}
  return { ...found, since: before.since, reference_number, version }
}

/** Whether a bucket still differs by the same elements, whatever else of it has changed. */
function isSameExplanation(one: RememberedBucket, other: RememberedBucket): boolean {
  const isSameKind = one.state === other.state && one.rejected === other.rejected
  return isSameKind && isSame(differenceOf(one), differenceOf(other))
}

function differenceOf(bucket: RememberedBucket): Sums {
  const remote = { count: bucket.remote_count, sum: bucket.remote_sum }
  return minus(remote, { count: bucket.local_count, sum: bucket.local_sum })
}

function isSameDifference(one: RememberedBucket, other: RememberedBucket): boolean {
  return (
    one.remote_count === other.remote_count &&
    one.remote_sum === other.remote_sum &&
    one.local_count === other.local_count &&
    one.local_sum === other.local_sum
  )
}

function toRemembered(
  bucket: Pick<
    RememberedBucket,
    'prefix' | 'state' | 'explained' | 'not_stored' | 'rejected' | 'at'
  > & { there: Sums; here: Sums },
): RememberedBucket {
  const { there, here, ...others } = bucket
  return {
    ...others,
    since: bucket.at,
    ...{ remote_count: there.count, remote_sum: there.sum },
    ...{ local_count: here.count, local_sum: here.sum },
    ...{ reference_number: null, version: null },
  }
}

/** The inbox names a record of the bucket. A warning must not: an erasure would not find it. */
function describeDisagreement({ prefix, remote_count, local_count }: RememberedBucket): string {
  return `The list and the digest of the platform disagree about the bucket ${prefix}: the list has ${formatCount(local_count, 'record')} of it, the digest ${remote_count}, with another number or sum. The inbox names a record. Compute both from the same records, with the same expression for the version. The hub does not read the bucket again for a day.`
}
