/**
 * Which records of a module are missing, and when an operator must review that first: pure decisions. A record is
 * missing when a complete read of its module did not contain it.
 */
import type { IdBitset } from '../../lib/collections/id-bitset.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import { totalDiffers } from '../record/completeness.ts'

/** Which records of a module a read contained. */
export type ReadCoverage = {
  /** The ids of the records that it contained. */
  seen: IdBitset
  /** The ids of records that it contained, and that remain missing, as by a hold. */
  stillMissing: IdBitset
  /** The reference numbers of rejected elements: their records exist on the platform and are not missing. */
  rejected: ReadonlySet<string>
  /** The number of elements whose record is unknown. */
  unidentified: number
  /** The number of pages of the response; 0 when the platform responded with 304. */
  pages: number
}

/** Whether a read proves that the records that it did not contain are missing. */
type ReadProof =
  /** It does: every such record is missing. */
  | 'complete'
  /** It need not: the module has not changed since an earlier read that decided about every record. */
  | 'not_modified'
  /**
   * It does not: it failed, it does not report success, its total differs, or one of its unidentified elements may be
   * the record.
   */
  | 'incomplete'

export function classifyRead(read: {
  error: unknown
  coverage: Pick<ReadCoverage, 'unidentified' | 'pages'>
  reportsSuccess: boolean
  total: number | null
  received: number
}): ReadProof {
  const { error, coverage, reportsSuccess, total, received } = read
  if (error !== null || !reportsSuccess) return 'incomplete'
  if (coverage.pages === 0) return 'not_modified'
  const isComplete = coverage.unidentified === 0 && !totalDiffers(total, received)
  return isComplete ? 'complete' : 'incomplete'
}

/**
 * Whether a record must be absent from two reads in a row before it is missing: records may move from page to page
 * while the pages are read.
 */
export function needsSecondRead({ pages }: Pick<ReadCoverage, 'pages'>): boolean {
  return pages > 1
}

/** The buckets that a pull has read in place of the whole list. */
export type BucketsRead = {
  /** Those that it has read completely: the number and sum of their elements are those of the digest. */
  complete: readonly string[]
  /** The number of stored records of the others that differ. Any of them may be absent. */
  unread: number
}

/** The start of a read, which limits the records that the read can prove missing. */
export type ReadStart = {
  /** The write sequence at the read's first request. */
  snapshotSeq: number
  /** A later read decides about records pushed after this time. In the form of `parseRfc3339`. */
  pushed_until: string
  /** A push before the read with a time after this one was stored while the clock was ahead. */
  ahead_from: string
}

/** The last push of a record: its number in the write sequence and its time; 0 and null without a push. */
export type LastPush = { pushed_seq: number; pushed_at: string | null }

/** The clocks of nodes that write to one database may differ by less. */
export const AHEAD_MS = 60_000

/**
 * The times that limit a read which began at `requested_at`, an RFC 3339 time. A platform may read its list of records
 * from a replica or a cache that lags behind its pushes.
 */
export function pushLimits(
  requested_at: string,
  graceSeconds: number,
): Pick<ReadStart, 'pushed_until' | 'ahead_from'> {
  const at = Date.parse(requested_at)
  return {
    pushed_until: formatRfc3339(new Date(at - graceSeconds * 1000)),
    ahead_from: formatRfc3339(new Date(at + AHEAD_MS)),
  }
}

/**
 * Whether a read that does not contain a record proves it missing, given the record's last push. How long ago a push was
 * that was stored while the clock was ahead is unknown: it does not delay the decision until that time.
 */
export function canBeMissing({ pushed_seq, pushed_at }: LastPush, read: ReadStart): boolean {
  if (pushed_seq > read.snapshotSeq) return false
  return pushed_at === null || pushed_at <= read.pushed_until || pushed_at > read.ahead_from
}

/** A set of missing records: their number, the number of records not marked yet, and a hash of the record ids. */
export type MissingSet = { missing: number; records: number; fingerprint: string }

/** A review that is not closed. */
export type OpenReview = MissingSet & {
  review_id: number
  state: 'pending' | 'approved' | 'dismissed'
}

/** The result of a complete read, and the review and candidates that earlier reads have saved. */
export type MissingSurvey = {
  /** The records that this read proves missing. */
  found: MissingSet
  /** The ids of the absent records of a read of several pages; null for a read of one page. */
  absent: number[] | null
  /** The number of absent records that a second read must confirm. */
  unconfirmed: number
  /** The number of absent records that were pushed too late for this read. */
  undecided: number
  review: OpenReview | null
  /** Whether an earlier read has saved candidates. */
  hasCandidates: boolean
}

export type MissingPlan = {
  /** Mark the missing records, wait for a review of them, or do nothing since the read proves nothing. */
  decision: 'mark' | 'needs_review' | 'nothing'
  /** The change of the review. `create` replaces an open one. */
  review: 'none' | 'create' | 'update' | { close: 'marked' | 'resolved' }
  /** The ids of the candidates that the next read must confirm; null leaves the saved ones as they are. */
  candidates: number[] | null
  /** Whether the read decides about every record. If not, the next read must return all records again. */
  isDecided: boolean
  /** Whether it decides about every record but those that were pushed too late for it. */
  isVerified: boolean
}

/** Fewer missing records never need a review, regardless of their share of the module. */
const MIN_FOR_REVIEW = 10

/** Whether the missing records exceed the missing threshold, so that an operator must review them. */
export function exceedsMissingThreshold(
  { missing, records }: Pick<MissingSet, 'missing' | 'records'>,
  thresholdPercent: number,
): boolean {
  return missing >= MIN_FOR_REVIEW && missing * 100 > thresholdPercent * records
}

/**
 * Decides which missing records a read marks, and how it changes their review and the candidates.
 *
 * - A complete read marks the missing records. If they exceed the missing threshold, an operator must review them.
 * - An approved review covers as many records as it listed, and as many more as the threshold allows. A dismissed
 *   review is valid as long as exactly the same records are missing.
 * - A read of several pages saves the absent records as candidates, and marks only candidates of the previous read.
 * - Two reads in a row must agree, so an incomplete read deletes the candidates.
 * - A read of buckets marks nothing while a review is pending or approved. All records of the buckets that differ and were
 *   not read completely count as missing against the threshold. With any, a review stays as it is, as the candidates always do.
 * @param buckets null for a read of the whole list.
 */
export function planMissing(
  survey: MissingSurvey | Exclude<ReadProof, 'complete'>,
  thresholdPercent: number,
  buckets: BucketsRead | null = null,
): MissingPlan {
  if (buckets) return planMissingOfBuckets(survey, thresholdPercent, buckets)
  if (survey === 'not_modified') {
    return {
      decision: 'nothing',
      review: 'none',
      candidates: null,
      isDecided: true,
      isVerified: true,
    }
  }
  if (survey === 'incomplete') {
    return {
      decision: 'nothing',
      review: 'none',
      candidates: [],
      isDecided: false,
      isVerified: false,
    }
  }
  const { found, absent, unconfirmed, undecided, review, hasCandidates } = survey
  const candidates = absent ?? (hasCandidates ? [] : null)
  const isVerified = unconfirmed === 0
  const isDecided = isVerified && undecided === 0
  const isApproved = review?.state === 'approved'
  if (!exceedsMissingThreshold(found, thresholdPercent)) {
    const close = isApproved && found.missing > 0 ? 'marked' : 'resolved'
    const marking = { decision: 'mark', candidates, isDecided, isVerified } as const
    return { ...marking, review: review ? { close } : 'none' }
  }
  if (isApproved && !exceedsReview(found, review, thresholdPercent)) {
    const marking = { decision: 'mark', candidates, isDecided, isVerified } as const
    return { ...marking, review: { close: 'marked' } }
  }
  const change = changeOfReview(found, review, thresholdPercent)
  return {
    ...{ decision: 'needs_review', review: change, candidates },
    ...{ isDecided: false, isVerified: false },
  }
}

function planMissingOfBuckets(
  survey: Parameters<typeof planMissing>[0],
  thresholdPercent: number,
  { unread }: BucketsRead,
): MissingPlan {
  const isDecided = survey === 'not_modified'
  const nothing = { decision: 'nothing', review: 'none', candidates: null } as const
  const undecided = { ...nothing, isDecided, isVerified: isDecided }
  if (typeof survey !== 'object') return undecided
  const { found, review } = survey
  const plan = { ...planMissing(survey, thresholdPercent), candidates: null }
  const mayMark = review === null || review.state === 'dismissed'
  if (unread > 0 ? review !== null : plan.decision === 'mark' && !mayMark) return undecided
  if (unread === 0) return plan
  const most = { ...found, missing: found.missing + unread }
  if (exceedsMissingThreshold(most, thresholdPercent)) return undecided
  return { ...plan, isDecided: false, isVerified: false }
}

/** Whether the records beyond those of the review exceed the threshold by themselves. */
function exceedsReview(found: MissingSet, review: MissingSet, thresholdPercent: number): boolean {
  const missing = found.missing - review.missing
  return exceedsMissingThreshold({ missing, records: found.records }, thresholdPercent)
}

function changeOfReview(
  found: MissingSet,
  review: OpenReview | null,
  thresholdPercent: number,
): 'none' | 'create' | 'update' {
  if (!review) return 'create'
  const isSame = found.fingerprint === review.fingerprint
  if (review.state === 'dismissed') return isSame ? 'none' : 'create'
  if (exceedsReview(found, review, thresholdPercent)) return 'create'
  // The operator decides about the records that the review lists, so it lists those of the last read.
  return isSame ? 'none' : 'update'
}
