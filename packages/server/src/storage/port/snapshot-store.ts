import type { Snapshot, SnapshotPull } from '@recordhub/protocol'

/** The part of the dashboard's snapshot that comes from the database. */
type StoredSnapshot = Pick<
  Snapshot,
  'stats' | 'platforms' | 'records' | 'logs' | 'alerts' | 'latest_sync'
> & { pull: StoredPull }

/** The running pull and the last one, as the snapshot shows them. */
export type StoredPull = Omit<SnapshotPull, 'next_run_at'>

export interface SnapshotStore {
  /**
   * Returns a text that changes with every commit of any process. While it is the same, reads return the same. It costs
   * less than a read.
   */
  readVersion(): Promise<string>

  /**
   * Reads the snapshot from counters and the ends of indexes. The cost does not depend on the number of records. `day` is
   * the current calendar day in the hub's time zone.
   */
  readSnapshot(day: string): Promise<StoredSnapshot>

  /** Reads the part of the snapshot that describes pulls. */
  readPull(): Promise<StoredPull>

  /**
   * Reads the last 30 finished pulls of each of these platforms, newest first; platforms without pulls are omitted.
   * The result changes only when a pull finishes or an old one is deleted.
   */
  readRecentPulls(platformIds: readonly number[]): Promise<Snapshot['recent_pulls']>
}
