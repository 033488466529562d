import type {
  Erasure,
  ErasureMode,
  ErasurePreview,
  ModuleRemovalPreview,
  PlatformRemovalPreview,
  Removal,
  Tombstone,
} from '@recordhub/protocol'
import type { RetentionNoun } from '../../domain/activity/retention.ts'
import type { ChangeLog } from './platform-store.ts'

/** A module of a platform, by its record type. */
export type NamedModule = { platform_id: number; record_type: string }

/** Deletes many records in the background. `PlatformStore.removePlatform` begins the removal of a platform. */
export interface RemovalStore {
  /** Counts the rows that removing a platform would delete. @returns null if the platform does not exist. */
  previewPlatform(platformId: number): Promise<PlatformRemovalPreview | null>

  /** Counts the records of a module. @returns null if the module does not exist. */
  previewModule(module: NamedModule): Promise<ModuleRemovalPreview | null>

  /**
   * Begins to delete the records of a module that is not registered. From then on none of them can be written, and the
   * module cannot be registered until all are deleted. If this removal is already in progress, it is returned and
   * nothing is logged.
   * @returns `registered` if the module is registered; null if it does not exist.
   */
  removeModuleRecords(
    request: NamedModule & { requested_by: string },
    log: ChangeLog,
  ): Promise<Removal | 'registered' | null>

  /**
   * Runs one step of the oldest removal in progress: deletes a few hundred rows, and updates the counters and the feed
   * of changes in the same transaction. The last step finishes the removal and appends an activity entry. Steps of
   * several nodes run one after another; an interrupted step changes nothing.
   *
   * If no removal is in progress, runs the pending purge: the files of the database no longer contain deleted rows, as
   * far as `eraseRecord` promises. This includes rows that a process deleted before it was killed.
   * @returns whether there was a step or a purge to run.
   */
  runNextStep(): Promise<boolean>

  /** Lists removals with an id below `before`, newest first; with `platform` those of the platform itself, by id or name. */
  listRemovals(query: {
    limit: number
    before: number | null
    platform?: { id: number } | { name: string } | null
  }): Promise<Removal[]>
}

/** A tombstone as it is stored, with the keyed hash of the reference number. */
export type StoredTombstone = Omit<Tombstone, 'id'> & { reference_hash: string }

export interface ErasureStore {
  /** Counts the rows that erasing a record would delete, in small steps. @returns null if the record does not exist. */
  previewErasure(recordId: number): Promise<Omit<ErasurePreview, 'not_covered'> | null>

  /**
   * Erases a record, its history, the rejected pushes and logged requests that name it, and its reference in the activity. With the mode
   * `anonymise`, the record stays without content, under a reference that cannot be predicted. The change has a number of
   * its own and appears in the feed of changes. No revert writes what remains, also without the tombstone.
   *
   * First saves a tombstone. From then on, no write of the record and no rejected push that names it is stored.
   * Calling the method again completes an interrupted erasure. When it resolves, the files of the database no longer
   * contain the record, as far as the engine can ensure that (SQLite can; a long read delays it).
   * @param log must name the record only by its id.
   * @returns null if the record does not exist.
   */
  eraseRecord(
    request: { record_id: number; mode: ErasureMode; actor: string },
    log: ChangeLog,
  ): Promise<Erasure | null>

  /** Returns tombstones with an id below `before`, newest first. */
  listTombstones(query: { limit: number; before: number | null }): Promise<Tombstone[]>

  /** Returns null if the tombstone does not exist. */
  readTombstone(tombstoneId: number): Promise<Tombstone | null>

  /**
   * Deletes a tombstone. The hub accepts the record again, and the next pull of its module is unconditional.
   * @returns false if the tombstone does not exist.
   */
  deleteTombstone(tombstoneId: number, log: ChangeLog): Promise<boolean>

  /**
   * Erases again what was erased after this copy of the database was made: applies the tombstones of a later state of
   * the same database. Tombstones that are already stored have no effect, so repeating an interrupted call completes
   * it. A tombstone of a record that this copy does not contain is stored, and rejected pushes and activity entries
   * that name the record are erased.
   * @returns the number of records erased, and of further tombstones stored.
   */
  importTombstones(tombstones: StoredTombstone[]): Promise<{ erased: number; added: number }>
}

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
