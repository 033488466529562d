import type { RecordRow } from './record-store.ts'

/** A record as of its latest change, or its deletion. `change_seq` defines the order. */
export type ChangeRow =
  | { change: 'created' | 'updated'; change_seq: number; at: string; record: RecordRow }
  | {
      change: 'deleted'
      change_seq: number
      at: string
      record_id: number
      platform_name: string
      record_type: string
    }

export type ChangeQuery = {
  platform: string | null
  record_type: string | null
  /** Returns changes with a higher number only; 0 for all. */
  after: number
  limit: number
  /** Maximum size of the records' data in a page; the page has at least one record. */
  maxBytes: number
}

/** `through`: this page and earlier pages contain every matching change up to this number. */
type ChangesPage =
  | { outcome: 'found'; changes: ChangeRow[]; through: number; has_more: boolean }
  /** `after` is higher than every number that was ever allocated. */
  | { outcome: 'beyond' }

/** The feed of changes to records. */
export interface ChangeStore {
  /**
   * Returns the changes after a number, in the order of their numbers. A record appears once, with its latest change;
   * a deleted record appears as its deletion. A consumer that continues from `through` misses no change and gets none
   * twice, however many processes write: a page ends before the numbers of transactions in flight. Unknown names
   * return an empty page. Changes of a platform that is being removed are left out, except for the deletions of its
   * records, so a page may be empty although there are more changes.
   */
  listChanges(query: ChangeQuery): Promise<ChangesPage>
}
