import type { MissingReview, MissingReviewState } from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { MissingSet, OpenReview, ReadStart } from '../../domain/pull/missing.ts'
import type { ChangeLog } from './platform-store.ts'
import type { WriteRejection } from './record-store.ts'

export type ModulePlace = { platform_id: number; module_id: number }

export type UnmetRecord = { record_id: number; reference_number: string }

/** Records to be marked by a read; `since` and `at` are RFC 3339 in UTC. */
export type MarkBatch = ModulePlace &
  ReadStart & {
    pull_id: number
    /** When the read was made. */
    since: string
    /** In any order; a transaction holds all of them, so a few hundred. */
    records: UnmetRecord[]
  }

export type MarkOutcome =
  | { outcome: 'marked'; marked: number }
  | { outcome: 'rejected'; code: WriteRejection }

/** `record_ids`: the records that would be marked. */
export type NewMissingReview = ModulePlace & MissingSet & { pull_id: number; record_ids: number[] }

/** What earlier reads left of a module. */
type MissingState = {
  review: OpenReview | null
  /** Ids of records that the last complete read of several pages did not meet; null for none. */
  suspects: number[] | null
}

export interface MissingStore {
  /** How many records of a module are not marked as missing: exact but for writes under way. Costs no more with more records. */
  countUnmarked(module: ModulePlace): Promise<number>

  /**
   * One step through the records of a module, in the order of their references: those that are not met and
   * not marked, and that the read can prove missing (`canBeMissing`). Writes nothing, and reads no content.
   * @returns `next` to go on with, null at the end; `undecided`: the number of records that are neither met nor
   *   marked, but were pushed too late for this read.
   */
  listUnmet(
    query: ModulePlace &
      ReadStart & {
        isMet: (record: UnmetRecord) => boolean
        /** How many records a step looks at. */
        limit: number
        after: string | null
      },
  ): Promise<{ unmet: UnmetRecord[]; undecided: number; next: string | null }>

  /**
   * The ids of those records of a module that bear one of these references, some hundred at most, and are
   * not marked.
   */
  findPresent(module: ModulePlace, references: string[]): Promise<number[]>

  /**
   * Marks records as missing, each a change with a number of its own, in one transaction. It checks again
   * what allows it: the pull runs, the platform is active and the module registered, else nothing is
   * marked; a record that is marked already, or that the read cannot prove missing (`canBeMissing`), stays as it is. Where
   * nothing is to be marked, nothing is written.
   */
  markMissing(batch: MarkBatch): Promise<MarkOutcome>

  /** What earlier reads left of a module; nothing of one that is not there. */
  readMissingState(module: ModulePlace): Promise<MissingState>

  /**
   * Asks an operator, with the line of activity. Takes the place of an open question (`superseded`); where
   * that one has been answered or closed meanwhile, nothing happens, and the next read judges anew.
   */
  askForReview(
    review: NewMissingReview,
    replaces: Pick<OpenReview, 'review_id' | 'state'> | null,
    activity: NewActivity,
  ): Promise<void>

  /** Puts other numbers and records into a review that is still pending. */
  changeReview(reviewId: number, review: NewMissingReview): Promise<void>

  /** Closes an open question, with the line of activity. One that is closed is left as it is. */
  closeReview(
    reviewId: number,
    state: Extract<MissingReviewState, 'marked' | 'settled'>,
    activity: NewActivity,
  ): Promise<void>

  /** Keeps what a read of several pages did not meet, until the next one. Nothing is written where it is kept already. */
  rememberSuspects(module: ModulePlace, recordIds: number[]): Promise<void>

  /** Newest first, those with an id below `before` only. */
  listReviews(query: {
    state: MissingReviewState | null
    limit: number
    before: number | null
  }): Promise<MissingReview[]>

  /** Whatever its state; null where there is none. */
  readReview(reviewId: number): Promise<MissingReview | null>

  /**
   * Answers an open question, with its lines; another answer takes the place of the one before, the same
   * one changes nothing and is not logged.
   * @returns the question as it is then; a closed one stays as it is. Null where there is none.
   */
  answerReview(
    answer: { review_id: number; state: 'approved' | 'dismissed'; by: string; at: string },
    log: ChangeLog,
  ): Promise<MissingReview | null>
}
