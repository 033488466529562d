import type { CounterDifference } from './diagnostics-store.ts'
import type { ChangeLog } from './platform-store.ts'

/** Repairs of `recordhub doctor --fix`. All of them are correct while hubs write. */
export interface RepairStore {
  /**
   * Counts records and sets the counters of modules to the counts, and deletes counters without a module, in one
   * transaction. Writes that commit meanwhile are counted once.
   * @param log is saved if anything changed.
   * @returns the counters that were wrong, and the number of deleted rows.
   */
  recountRecords(log: (changed: number) => ChangeLog): Promise<RecountedRecords>

  /**
   * Sums the sizes of the rejected pushes of each platform and sets its quota to the sum, in one transaction.
   * @param log is saved if anything changed.
   * @returns the sums that were wrong.
   */
  recountRejectedBytes(log: (changed: number) => ChangeLog): Promise<CounterDifference[]>

  /**
   * Deletes leases that expired before `before`, and those that expire after `after`.
   * @param log is saved if any was deleted.
   * @returns their names.
   */
  deleteLeases(
    range: { before: string; after: string },
    log: (deleted: number) => ChangeLog,
  ): Promise<string[]>
}

export type RecountedRecords = { recounted: CounterDifference[]; deleted: number }
