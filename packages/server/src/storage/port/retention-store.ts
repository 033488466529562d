import type { RetentionNoun } from '../../domain/activity/retention.ts'

export type DropStep = {
  /** How many rows a step looks at. Its transaction drops no more. */
  limit: number
  /** Where the step before ended; null for the first one. */
  after: number | null
}

/** `next` is where the next step goes on; null where nothing is left that is to be dropped. */
export type DropOutcome = { dropped: number; next: number | null }

export interface RetentionStore {
  /**
   * Drops rows of a kind that are older than `before` (RFC 3339 in UTC), the oldest first, in one
   * transaction. Costs no more with more rows that stay.
   *
   * What counts as the age: of lines of activity, audit, history and changes of manifests when they were written, of a refusal
   * when it last came, of questions, alerts, pulls and the hours of counters and push errors when they ended. What has not ended stays, and so
   * does the newest pull that has. A pull goes with its tasks; where it has more than `limit`, the
   * first of them go a step earlier. Of history it is noted from when on it is whole, in the same transaction.
   */
  dropOld(noun: RetentionNoun, step: DropStep & { before: string }): Promise<DropOutcome>

  /** Drops lines of activity but for about the newest `lines` ones: never fewer are dropped, in gaps of their numbers a few more. */
  dropActivityBeyond(lines: number, step: DropStep): Promise<DropOutcome>

  /**
   * The instant (RFC 3339 in UTC) from which on no change is missing in the history of any record; null
   * where none has been dropped. Ask after what was read of the history, which may be dropped meanwhile.
   */
  historyKeptSince(): Promise<string | null>

  /**
   * Gives some of the space that dropped rows took back to the disk, where the engine does not do so by
   * itself. Works for some milliseconds.
   * @returns whether there is more.
   */
  giveSpaceBack(): Promise<boolean>
}
