import type { Erasure, ErasureMode, ErasurePreview, Tombstone } from '@recordhub/protocol'
import type { ChangeLog } from './platform-store.ts'

/** A tombstone as it is stored, with the keyed hash of the reference number. */
export type StoredTombstone = Omit<Tombstone, 'id'> & { reference_hash: string }

export interface ErasureStore {
  /** Counts the rows that erasing a record would delete, in small steps. @returns null if the record does not exist. */
  previewErasure(recordId: number): Promise<Omit<ErasurePreview, 'not_covered'> | null>

  /**
   * Erases a record, its history, the rejected pushes and logged requests that name it, and its reference in the activity. With the mode
   * `anonymise`, the record stays without content, under a reference that cannot be predicted. The change has a number of
   * its own and appears in the feed of changes.
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
