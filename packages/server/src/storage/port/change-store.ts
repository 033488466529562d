import type { RecordRow } from './record-store.ts'

/** A record at its newest change, or that it is no more. `change_seq` tells their order. */
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
  /** Changes with a higher number only; 0 for all. */
  after: number
  limit: number
  /** Of the records' data, a page holds no more bytes than that, but one record at least. */
  maxBytes: number
}

/** `through`: every change up to this number that the query asks for has been given, here or before. */
type ChangesPage =
  | { outcome: 'found'; changes: ChangeRow[]; through: number; has_more: boolean }
  /** `after` is beyond every number that was ever given out. */
  | { outcome: 'beyond' }

/** What happened to records, told in order. */
export interface ChangeStore {
  /**
   * The changes after a number, in the order of their numbers. A record appears once, at its newest
   * change; one that was deleted appears as its deletion. Who goes on from `through` misses nothing and
   * gets nothing twice, however many processes write meanwhile: what a transaction under way may still
   * write is not passed over. Unknown names give an empty page. Records of a platform that is being removed
   * are left out until their deletions come, so a page may be empty though there is more.
   */
  listChanges(query: ChangeQuery): Promise<ChangesPage>
}
