/**
 * Executes the plan of `domain/pull/missing.ts` after a read: surveys the module, marks missing records, opens or
 * closes a review, and saves candidates for the next read.
 */
import { createHash } from 'node:crypto'
import type { NewActivity } from '../../domain/activity/activity.ts'
import { addBuckets, type Buckets, type Sums } from '../../domain/pull/digest.ts'
import {
  AHEAD_MS,
  type BucketsRead,
  canBeMissing,
  classifyRead,
  type MissingPlan,
  type MissingSet,
  type MissingSurvey,
  needsSecondRead,
  type OpenReview,
  planMissing,
  pushLimits,
  type ReadStart,
} from '../../domain/pull/missing.ts'
import { totalDiffers } from '../../domain/record/completeness.ts'
import { createPause, yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { AbsentRecord, MissingStore, RecordRef } from '../../storage/port/missing-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { throwIfAborted, walkAbsent } from './absent-records.ts'
import type { PullTaskContext, PullTaskOutcome } from './pull-task-accumulator.ts'
import { toAbortError } from './rejections.ts'
import { addStored, bucketOf } from './version-tally.ts'

/** Maximum number of records marked in one transaction or looked up in one query, during which pushes wait. */
const CHUNK = 500
/** Maximum number of candidate missing records remembered between two reads of a paged module. */
const MAX_CANDIDATES = 10_000

export type DetectMissingDeps = Pick<FeatureDeps, 'missing' | 'digests'> & {
  config: Pick<FeatureDeps['config'], 'HUB_MISSING_FUSE' | 'HUB_MISSING_GRACE_SECONDS'>
}

export type DetectedOutcome = PullTaskOutcome & {
  /** Whether the read decided about every record. If not, the next read must return all records again. */
  isDecided: boolean
  /** Whether it decided about every record but those that were pushed too late for it. */
  isVerified: boolean
  /** The number of absent records that were pushed before the read, but too late for it. */
  pushedBefore: number
  /** The number of absent records that a revert holds as present. */
  heldAbsent: number
  /** The number of stored records that the read contained only as rejected elements. */
  rejectedPresent: number
  /** The absent records that are not marked because they wait for a review or a revert holds them, by the first three digits. */
  waiting: Buckets
  /** The stored records that the read contained only as rejected elements, by the same digits. */
  outdated: Buckets
}

type Read = Pick<PullTaskContext, 'plan' | 'source' | 'signal' | 'pull_id'> &
  Pick<PullTaskOutcome, 'coverage' | 'requested_at'> &
  ReadStart & { buckets: readonly string[] | null }

type Survey = MissingSurvey & {
  /** The number of undecided records that were pushed before the read. */
  pushedBefore: number
  /** The number of absent records that a revert holds as present. */
  heldAbsent: number
  /** The ids of the records in `found`, sorted. */
  recordIds: number[]
  /** As in `AbsentQuery`. */
  others: readonly AbsentRecord[]
  /** What they add to the sums of their buckets, and what the absent records that a revert holds add. */
  sums: Buckets
  held: Buckets
  /** Whether the read, or a second read in a row, proves an absent record missing. */
  isConfirmed: (record: RecordRef) => boolean
}

/**
 * Detects the missing records of a module after a read, and adds them to the counts of the outcome. An error becomes
 * the error of the outcome. Records that were marked before it stay marked, and the next read marks the rest.
 */
export async function detectMissing(
  deps: DetectMissingDeps,
  context: PullTaskContext,
  outcome: PullTaskOutcome,
  buckets: BucketsRead | null = null,
): Promise<DetectedOutcome> {
  const { missing, config } = deps
  const limits = pushLimits(outcome.requested_at, config.HUB_MISSING_GRACE_SECONDS)
  const read: Read = { ...context, ...outcome, ...limits, buckets: buckets?.complete ?? null }
  const counts = { ...outcome.counts }
  let waiting: Buckets = new Map()
  const outdated = new Map(outcome.tally.sumsHeld)
  let rejectedPresent = 0
  let pushedBefore = 0
  let heldAbsent = 0
  try {
    const proof = classifyRead({ ...outcome, received: counts.received })
    const survey = proof === 'complete' ? await surveyModule(deps, read) : proof
    const plan = planMissing(survey, config.HUB_MISSING_FUSE, buckets)
    if (typeof survey === 'object') {
      ;({ pushedBefore, heldAbsent, held: waiting } = survey)
      if (plan.decision === 'mark') {
        for await (const marked of markMissing(deps, read, survey)) counts.missing += marked
      } else if (plan.decision === 'needs_review' || survey.review) {
        waiting = addBuckets(waiting, survey.sums)
      }
      const unmarked = plan.decision === 'mark' ? 0 : survey.found.missing
      counts.not_listed = survey.unconfirmed + unmarked
      await changeReview(deps, read, { plan, survey, marked: counts.missing })
    }
    if (plan.candidates) await missing.saveCandidates(read.plan, plan.candidates)
    const { isDecided } = plan
    let { isVerified } = plan
    if (outcome.error === null) {
      rejectedPresent = await countRejectedPresent(missing, read, outdated)
      if (proof === 'incomplete' && !buckets) {
        const records = await missing.countUnmarked(read.plan)
        counts.not_listed = Math.max(0, records - outcome.records - rejectedPresent)
        isVerified = counts.not_listed === 0 && !totalDiffers(outcome.total, counts.received)
      }
    }
    const absent = { rejectedPresent, pushedBefore, heldAbsent, waiting, outdated }
    return { ...outcome, counts, isDecided, isVerified, ...absent }
  } catch (error) {
    const known = outcome.error ?? error
    const absent = { rejectedPresent, pushedBefore, heldAbsent, waiting, outdated }
    return { ...outcome, counts, error: known, isDecided: false, isVerified: false, ...absent }
  }
}

/** Closes the open review of a module of which the platform has all stored records, as their versions show. */
export async function resolveReview(
  { missing }: Pick<DetectMissingDeps, 'missing'>,
  context: Pick<PullTaskContext, 'plan' | 'source' | 'pull_id'>,
): Promise<void> {
  const { review } = await missing.readMissingState(context.plan)
  if (!review) return
  const activity = describeReviewClosed(context, 'resolved', 0)
  await missing.closeReview(review.review_id, 'resolved', activity)
}

async function surveyModule(deps: DetectMissingDeps, read: Read): Promise<Survey> {
  const { missing } = deps
  const { plan, coverage, buckets } = read
  const [{ review, candidates }, records] = await Promise.all([
    missing.readMissingState(plan),
    missing.countUnmarked(plan),
  ])
  // The digest has proved that the lists of the buckets are complete.
  const isPaged = buckets === null && needsSecondRead(coverage)
  const confirmable = isPaged ? new Set(candidates ?? []) : null
  const isConfirmed = ({ record_id }: RecordRef) => confirmable?.has(record_id) ?? true
  const others = buckets && review ? await listOthers(deps, read, { review, buckets }) : []
  const recordIds: number[] = []
  const absent: number[] = []
  const sums = new Map<string, Sums>()
  let unconfirmed = 0
  let undecided = 0
  let pushedBefore = 0
  let heldAbsent = 0
  const held = new Map<string, Sums>()
  // If the read contained every record, the counters show it, and no record has to be examined. A revert may have taken back
  // some of them meanwhile, which would hide as many absent ones.
  const isEverySeen =
    buckets === null &&
    records === coverage.seen.size &&
    !(await missing.wasRevertedSince(
      new Date(Date.parse(read.pushed_until) - AHEAD_MS).toISOString(),
    ))
  const steps = isEverySeen ? [] : walkAbsent(deps, { ...read, module: plan, others })
  for await (const step of steps) {
    undecided += step.undecided
    pushedBefore += step.pushedBefore
    heldAbsent += step.held.length
    for (const record of step.held) addStored(held, record)
    for (const record of step.missing) {
      const { record_id } = record
      if (isPaged && absent.length < MAX_CANDIDATES) absent.push(record_id)
      if (!isConfirmed(record)) {
        unconfirmed += 1
        continue
      }
      recordIds.push(record_id)
      addStored(sums, record)
    }
  }
  // A read of buckets finds the same records in another order than a read of the list.
  recordIds.sort((one, other) => one - other)
  const hash = createHash('sha256')
  const pause = createPause()
  for (let start = 0; start < recordIds.length; start += CHUNK) {
    for (const record_id of recordIds.slice(start, start + CHUNK)) hash.update(`${record_id} `)
    await pause()
  }
  return {
    found: { missing: recordIds.length, records, fingerprint: hash.digest('base64url') },
    absent: isPaged ? absent : null,
    hasCandidates: candidates !== null,
    ...{
      recordIds,
      sums,
      held,
      unconfirmed,
      undecided,
      pushedBefore,
      heldAbsent,
      review,
      others,
      isConfirmed,
    },
  }
}

/**
 * Lists the records of a review that are absent, although not from a bucket that was read: the digest has proved that the other
 * buckets are as they were when the review was written.
 */
async function listOthers(
  { missing }: DetectMissingDeps,
  read: Read,
  { review, buckets }: { review: OpenReview; buckets: readonly string[] },
): Promise<AbsentRecord[]> {
  const prefixes = new Set(buckets)
  const lengths = [...new Set(buckets.map(({ length }) => length))]
  const isRead = (reference: string) =>
    lengths.some((length) => prefixes.has(bucketOf(reference, length)))
  return (await missing.listReviewed(review.review_id)).filter(
    (record) => !isRead(record.reference_number) && canBeMissing(record, read),
  )
}

/** Marks the records that the survey found. Yields the number of records marked by each transaction. */
async function* markMissing(
  deps: DetectMissingDeps,
  read: Read,
  { found, others, isConfirmed }: Survey,
): AsyncGenerator<number> {
  if (found.missing === 0) return
  const { platform_id, module_id } = read.plan
  const { pull_id, snapshotSeq, pushed_until, ahead_from } = read
  const since = new Date(Date.parse(read.requested_at)).toISOString()
  const batch = { platform_id, module_id, pull_id, snapshotSeq, pushed_until, ahead_from, since }
  for await (const step of walkAbsent(deps, { ...read, module: read.plan, others })) {
    const confirmed = step.missing.filter(isConfirmed)
    for (let at = 0; at < confirmed.length; at += CHUNK) {
      throwIfAborted(read.signal)
      const records = confirmed.slice(at, at + CHUNK)
      const outcome = await deps.missing.markMissing({ ...batch, records })
      if (outcome.outcome === 'rejected') throw toAbortError(outcome.code)
      yield outcome.marked
      await yieldToEventLoop()
    }
  }
}

async function changeReview(
  { missing, config }: DetectMissingDeps,
  read: Read,
  { plan, survey, marked }: { plan: MissingPlan; survey: Survey; marked: number },
): Promise<void> {
  const { found, recordIds: record_ids, review } = survey
  const { platform_id, module_id } = read.plan
  const listed = { platform_id, module_id, pull_id: read.pull_id, ...found, record_ids }
  if (plan.review === 'none') return
  if (plan.review === 'create') {
    const activity = describeReviewNeeded(read, found, config.HUB_MISSING_FUSE)
    await missing.createReview(listed, review, activity)
  } else if (review && plan.review === 'update') {
    await missing.updateReview(review.review_id, listed)
  } else if (review && typeof plan.review === 'object') {
    const { close } = plan.review
    await missing.closeReview(review.review_id, close, describeReviewClosed(read, close, marked))
  }
}

async function countRejectedPresent(
  missing: MissingStore,
  { plan, coverage }: Read,
  outdated: Map<string, Sums>,
): Promise<number> {
  const references = [...coverage.rejected]
  let count = 0
  for (let at = 0; at < references.length; at += CHUNK) {
    for (const record of await missing.findPresent(plan, references.slice(at, at + CHUNK))) {
      if (coverage.seen.has(record.record_id)) continue
      count += 1
      addStored(outdated, record)
    }
    await yieldToEventLoop()
  }
  return count
}

function describeReviewNeeded(
  { plan, source, pull_id }: Read,
  { missing, records }: MissingSet,
  thresholdPercent: number,
): NewActivity {
  return {
    level: 'warning',
    kind: 'missing.needs_review',
    message: `${missing} of ${records} records of ${plan.module_name} of ${source.display_title} are missing from a complete pull, more than ${thresholdPercent} %. They are not marked as missing until an operator approves it. Check whether the platform still has them, then approve or dismiss the review.`,
    platform: source,
    details: { record_type: plan.record_type, missing, records, pull_id },
  }
}

function describeReviewClosed(
  { plan, source, pull_id }: Pick<Read, 'plan' | 'source' | 'pull_id'>,
  close: 'marked' | 'resolved',
  missing: number,
): NewActivity {
  const name = `${plan.module_name} of ${source.display_title}`
  const message =
    close === 'marked'
      ? `${missing} records of ${name} were marked as missing, as approved.`
      : missing === 0
        ? `The review of missing records of ${name} was closed: none of them is missing any more.`
        : `The review of missing records of ${name} was closed: only ${missing} are still missing, and they were marked.`
  return {
    level: 'info',
    kind: `missing.${close}`,
    message,
    platform: source,
    details: { record_type: plan.record_type, missing, pull_id },
  }
}
