import type { Erasure, ErasureMode, ErasurePreview, Tombstone } from '@recordhub/protocol'
import type { ChangeLog } from './platform-store.ts'

type ErasureExtent = Omit<ErasurePreview, 'not_covered'>

export interface ErasureStore {
  /** What erasing a record would take; null where there is none. Long reads go in small steps. */
  previewErasure(recordId: number): Promise<ErasureExtent | null>

  /**
   * Erases a record, its history, what was refused and names it, and its reference in the activity; or,
   * to anonymise, empties it under a reference that nobody can guess. It is a change with a number of its
   * own, told to followers.
   *
   * A tombstone comes first: from then on no write of the record is stored, nothing that names it is kept,
   * and what breaks off after it is completed by calling again. When it resolves, the database's files
   * hold nothing of it any more, as far as the engine can see to that (SQLite can, unless a reader holds
   * on to an old state; then they do so later).
   * @param log lines that do not name the record but by its number.
   * @returns null where there is no such record, or none any more.
   */
  eraseRecord(
    request: { record_id: number; mode: ErasureMode; actor: string },
    log: ChangeLog,
  ): Promise<Erasure | null>

  /** Newest first, those with an id below `before` only. */
  listTombstones(query: { limit: number; before: number | null }): Promise<Tombstone[]>

  /** Null where there is none, or none any more. */
  readTombstone(tombstoneId: number): Promise<Tombstone | null>

  /**
   * Takes a tombstone away: the record may come again, and the next pull of its module asks for all.
   * @returns false where it is not there, or not any more.
   */
  liftTombstone(tombstoneId: number, log: ChangeLog): Promise<boolean>
}
