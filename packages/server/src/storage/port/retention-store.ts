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
   * The age of activity, audit entries, history, manifest changes and logged requests begins when they are written; of a rejected push,
   * when it was last received; of missing reviews, alerts, pulls, and the hours of counters and push errors, when they
   * end. Unfinished ones stay, and so does the newest finished pull. The tasks of a pull are deleted with it, in several
   * steps if there are more than `limit`. The same transaction records the time since which the history is complete.
   */
  deleteOld(noun: RetentionNoun, step: DeletionStep & { before: string }): Promise<DeletionOutcome>

  /** Deletes the oldest activity entries. At most the newest `entries` stay, fewer if there are gaps between their ids. */
  trimActivity(entries: number, step: DeletionStep): Promise<DeletionOutcome>

  /**
   * Returns the time (RFC 3339 in UTC) since which the history of every record is complete; null if no history has been
   * deleted. Call it after reading history, because a deletion may come between the two calls.
   */
  historyCompleteSince(): Promise<string | null>

  /**
   * Releases some of the disk space of deleted rows, if the engine does not do so itself. Takes a few milliseconds.
   * @returns whether there is more space to release.
   */
  reclaimSpace(): Promise<boolean>
}
