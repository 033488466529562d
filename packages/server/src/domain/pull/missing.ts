/** Which records a read says are gone, and when a person is asked first: pure decisions. */
import type { IdBitset } from '../../lib/collections/id-bitset.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'

/** What a read says of the records that there are. */
export type ReadCoverage = {
  /** The ids of the records that it met. */
  seen: IdBitset
  /** References of elements that were rejected: their records are there all the same. */
  rejected: ReadonlySet<string>
  /** Elements of which nobody can tell whose they are. */
  unnamed: number
  /** Answers that it came in; 0 where the platform only said that nothing has changed. */
  pages: number
}

/**
 * Whether a read that ended well can say what is gone: all came that was announced, and no element was
 * rejected that might be the record which is missed.
 */
export function isCompleteRead(
  { unnamed, pages }: Pick<ReadCoverage, 'unnamed' | 'pages'>,
  { total, received }: { total: number | null; received: number },
): boolean {
  return pages > 0 && unnamed === 0 && (total === null || total === received)
}

/** Records may move from page to page while they are read: only a second read in a row is believed. */
export function needsSecondRead({ pages }: Pick<ReadCoverage, 'pages'>): boolean {
  return pages > 1
}

/** The start of a read, as far as it decides which records the read can prove missing. */
export type ReadStart = {
  /** The write sequence at the read's first request. */
  mark: number
  /** Records pushed after this time are left to a later read; in the form of `parseInstant`. */
  pushed_until: string
}

/** The last push of a record: its number in the write sequence and its time; 0 and null where there was none. */
export type LastPush = { pushed_seq: number; pushed_at: string | null }

/**
 * A platform may read its list of records from a replica or a cache that lags behind its pushes.
 * @returns the `pushed_until` of a read that began at `requested_at`, an RFC 3339 time.
 */
export function graceStart(requested_at: string, graceSeconds: number): string {
  return formatRfc3339(new Date(Date.parse(requested_at) - graceSeconds * 1000))
}

/** Whether a read that does not contain a record proves it missing, given the record's last push. */
export function canBeMissing({ pushed_seq, pushed_at }: LastPush, read: ReadStart): boolean {
  return pushed_seq <= read.mark && (pushed_at === null || pushed_at <= read.pushed_until)
}

/** What a read would mark: so many, of so many that are not marked yet; the text tells one set from another. */
export type MissingSet = { missing: number; records: number; fingerprint: string }

/** A question that is not closed. */
export type OpenReview = MissingSet & {
  review_id: number
  state: 'pending' | 'approved' | 'dismissed'
}

export type MissingVerdict =
  /** Mark them, and then close the question that was open. */
  | { verdict: 'mark'; close: 'marked' | 'settled' | null }
  /** Mark none: open a new review, or update the records of the open one, or leave it as it is. */
  | { verdict: 'hold'; ask: 'anew' | 'update' | null }

/** A few records are no sign of a broken platform, whatever part of the module they are. */
const FEWEST_ASKED_FOR = 10

/** Whether so many would be marked that a person is asked first. */
export function exceedsMissingThreshold(
  { missing, records }: Pick<MissingSet, 'missing' | 'records'>,
  fusePercent: number,
): boolean {
  return missing >= FEWEST_ASKED_FOR && missing * 100 > fusePercent * records
}

/**
 * Decides what becomes of the records that a complete read did not meet. An approval covers as many as
 * were asked about, and what the fuse lets through beyond them; a dismissal holds for the very same
 * records.
 */
export function validateMissing(
  found: MissingSet,
  open: OpenReview | null,
  fusePercent: number,
): MissingVerdict {
  const isApproved = open?.state === 'approved'
  if (!exceedsMissingThreshold(found, fusePercent)) {
    if (!open) return { verdict: 'mark', close: null }
    return { verdict: 'mark', close: isApproved && found.missing > 0 ? 'marked' : 'settled' }
  }
  if (!open) return { verdict: 'hold', ask: 'anew' }
  if (open.state === 'dismissed') {
    return { verdict: 'hold', ask: found.fingerprint === open.fingerprint ? null : 'anew' }
  }
  const beyond = found.missing - open.missing
  if (exceedsMissingThreshold({ missing: beyond, records: found.records }, fusePercent)) {
    return { verdict: 'hold', ask: 'anew' }
  }
  if (isApproved) return { verdict: 'mark', close: 'marked' }
  // The operator decides about the records that the review lists, so it lists those of the last read.
  return { verdict: 'hold', ask: found.fingerprint === open.fingerprint ? null : 'update' }
}
