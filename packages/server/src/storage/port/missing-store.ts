import type { MissingReview, MissingReviewState } from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { LastPush, MissingSet, OpenReview, ReadStart } from '../../domain/pull/missing.ts'
import type { ChangeLog } from './platform-store.ts'
import type { ModuleRef } from './record-list-store.ts'
import type { WriteRejection } from './record-store.ts'

export type RecordRef = { record_id: number; reference_number: string }

/** A record that a read did not contain, or only as a rejected element. `version` is null if it has none that counts. */
export type AbsentRecord = RecordRef & { version: string | null }

/** Records that a read proves missing. */
export type MissingBatch = ModuleRef &
  ReadStart & {
    pull_id: number
    /** The time of the read, RFC 3339 in UTC. */
    since: string
    /** In any order. One transaction contains all of them, so a few hundred at most. */
    records: RecordRef[]
  }

export type MarkOutcome =
  | { outcome: 'marked'; marked: number }
  | { outcome: 'rejected'; code: WriteRejection }

/** `record_ids`: the missing records that the review lists. */
export type NewMissingReview = ModuleRef & MissingSet & { pull_id: number; record_ids: number[] }

/** The results of earlier reads of a module. */
type MissingState = {
  review: OpenReview | null
  /** The ids of the records that the last complete read of several pages did not contain; null for none. */
  candidates: number[] | null
}

/** What a step of `listMissing` found. */
export type MissingStep = {
  missing: AbsentRecord[]
  undecided: number
  pushedBefore: number
  held: AbsentRecord[]
  next: string | null
}

export interface MissingStore {
  /**
   * Returns the number of records of a module that are not marked as missing. The result is exact except for writes in
   * flight. The cost does not depend on the number of records.
   */
  countUnmarked(module: ModuleRef): Promise<number>

  /**
   * Whether a revert runs, or has ended since a time. It may have taken back records that a read contains.
   * @param at RFC 3339, as the hub writes times.
   */
  wasRevertedSince(at: string): Promise<boolean>

  /**
   * Examines the next `limit` records of a module in the order of their reference numbers. Returns those for which
   * `isPresent` is false, that are not marked yet, and that the read can prove missing (`canBeMissing`). Writes
   * nothing, and reads no content.
   * @returns `next`: the position of the next step; null at the end. `undecided`: the number of absent, unmarked
   *   records that were pushed too late for this read; `pushedBefore`: of those, the number that were pushed before it.
   *   `held`: the number of absent, unmarked records whose absence a revert has taken back.
   */
  listMissing(
    query: ModuleRef &
      ReadStart & {
        isPresent: (record: RecordRef) => boolean
        limit: number
        after: string | null
      },
  ): Promise<MissingStep>

  /** Returns the unmarked records of a module with these reference numbers, a few hundred at most. */
  findPresent(module: ModuleRef, references: string[]): Promise<AbsentRecord[]>

  /**
   * Returns the records that a review lists and that are not marked, without those whose absence a revert has taken back, in
   * the order of their ids.
   */
  listReviewed(reviewId: number): Promise<(AbsentRecord & LastPush)[]>

  /**
   * Marks records as missing in one transaction. Each mark is a change with its own sequence number. Checks in the
   * transaction that the pull is running, the platform is active and the module is registered; otherwise marks
   * nothing. Leaves a record that is marked already, that the read cannot prove missing (`canBeMissing`), or whose absence a
   * revert has taken back, as it is.
   * Writes nothing if there is nothing to mark.
   */
  markMissing(batch: MissingBatch): Promise<MarkOutcome>

  /** Returns the results of earlier reads of a module; both are null for an unknown module. */
  readMissingState(module: ModuleRef): Promise<MissingState>

  /**
   * Creates a review with its activity entry. Closes the review that it replaces as `superseded`. Does nothing if an
   * operator has decided that review or the hub has closed it in the meantime; the next read decides again.
   */
  createReview(
    review: NewMissingReview,
    replaces: Pick<OpenReview, 'review_id' | 'state'> | null,
    activity: NewActivity,
  ): Promise<void>

  /** Replaces the numbers and records of a pending review. Has no effect on a review in another state. */
  updateReview(reviewId: number, review: NewMissingReview): Promise<void>

  /** Closes an open review with its activity entry. Has no effect on a closed review. */
  closeReview(
    reviewId: number,
    state: Extract<MissingReviewState, 'marked' | 'resolved'>,
    activity: NewActivity,
  ): Promise<void>

  /**
   * Saves the ids of the records that a read of several pages did not contain. They replace those of the previous read.
   * Writes nothing if the same ids are stored.
   */
  saveCandidates(module: ModuleRef, recordIds: number[]): Promise<void>

  /**
   * Returns reviews with an id below `before`, newest first: those in a state, of the platform of this name, and of modules
   * with this record type. A member that is null or left out does not filter.
   */
  listReviews(query: {
    state: MissingReviewState | null
    platform?: string | null
    record_type?: string | null
    limit: number
    before: number | null
  }): Promise<MissingReview[]>

  /** Returns a review in any state; null if it does not exist. */
  readReview(reviewId: number): Promise<MissingReview | null>

  /**
   * Records the decision of an operator about an open review, and logs it. A later decision replaces an earlier one.
   * Repeating the same decision changes nothing and is not logged.
   * @returns the review after the decision; a closed review is unchanged. Null if the review does not exist.
   */
  decideReview(
    decision: { review_id: number; state: 'approved' | 'dismissed'; by: string; at: string },
    log: ChangeLog,
  ): Promise<MissingReview | null>
}
