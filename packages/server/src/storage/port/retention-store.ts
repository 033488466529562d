import type { RetentionNoun } from '../../domain/activity/retention.ts'

export type DeletionStep = {
  /** The maximum number of rows that a step reads, and that its transaction deletes. */
  limit: number
  /** `next` of the previous step; null for the first one. */
  after: number | null
}

/** `next` is the start of the next step; null if no old rows are left. */
export type DeletionOutcome = { deleted: number; next: number | null }

export interface RetentionStore {
  /**
   * Deletes rows of a kind that are older than `before` (RFC 3339 in UTC), the oldest first, in one transaction. The
   * cost does not depend on the number of newer rows.
   *
   * The age of activity, audit entries, history and manifest changes begins when they are written; of a rejected push,
   * when it was last received; of missing reviews, alerts, pulls, and the hours of counters and push errors, when they
   * end. Unfinished ones stay, and so does the newest finished pull. The tasks of a pull are deleted with it; if it
   * has more than `limit`, in several steps. The same transaction records from when on the history is complete.
   */
  deleteOld(noun: RetentionNoun, step: DeletionStep & { before: string }): Promise<DeletionOutcome>

  /** Deletes all but approximately the newest `lines` lines of activity: at least as many, more if ids have gaps. */
  trimActivity(lines: number, step: DeletionStep): Promise<DeletionOutcome>

  /**
   * Returns the time (RFC 3339 in UTC) since which the history of every record is complete; null if none has been
   * deleted. Call it after reading history, which may be deleted in between.
   */
  historyCompleteSince(): Promise<string | null>

  /**
   * Returns some of the space of deleted rows to the disk, if the engine does not do so itself. Takes some
   * milliseconds.
   * @returns whether there is more to return.
   */
  reclaimSpace(): Promise<boolean>
}
