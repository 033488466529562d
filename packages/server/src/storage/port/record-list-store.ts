import type { RecordFilter, RecordOrder } from '../../domain/record/record-query.ts'

export type RecordRow = {
  record_id: number
  platform_name: string
  module_name: string
  record_type: string
  reference_number: string
  full_name: string
  /** Exact JSON text. */
  data: string
  incomplete: boolean
  missing_since: string | null
  created_at: string
  updated_at: string
  /** The write sequence of the last change. */
  change_seq: number
}

/**
 * A place in a list: between records where the one that it was taken from is not there any more. `value` is
 * a `record_id` (sorts `record_id`, `created_at`), a `change_seq` (`updated_at`), the text itself, or
 * the key of a field's value (`domain/record/sort-key.ts`), null where the field is absent or null.
 */
export type Position = { value: string | number | null; record_id: number }

export type RecordQuery = RecordFilter &
  RecordOrder & {
    limit: number
    /** Where the page begins, itself left out; null for the beginning of the list, or its end. */
    after: Position | null
    /** Whether the page ends before `after` instead. */
    backwards: boolean
    /** How long may be looked for records that no index finds. A first step is made whatever it takes. */
    scan_ms: number
  }

export type RecordPage = {
  outcome: 'listed'
  /** In the order of the list, also where it was read backwards. */
  records: RecordRow[]
  /** The positions of the first and last of them. */
  first: Position | null
  last: Position | null
  /** Whether there are records beyond the page, in the direction it was read. */
  has_more: boolean
  /** Where the time was over before the page was full; reading on from here misses nothing. */
  stopped_at: Position | null
  /** How many records the filter finds in the whole list. */
  estimated_total: number
  is_estimate: boolean
}

export interface RecordListStore {
  /**
   * One page in the order asked for, ties by `record_id` in the same direction, absent and null last in
   * both directions. Text goes by code point; fields that the manifest of every module asked for says to
   * be numbers go by their size. Unknown names give an empty page.
   *
   * A page of large records is shorter than its limit: it ends with the record that brings its data to some
   * megabytes. Pages that follow each other give each record once, as long as writes do not move it. What the index
   * of texts and the index of fields do not hold yet is not found by them (`SearchIndexStore`).
   *
   * @returns `too_slow` where a sort that no index serves could not be finished in `scan_ms`.
   */
  listRecords(query: RecordQuery): Promise<RecordPage | { outcome: 'too_slow' }>

  /** How many records a platform and module hold, from the counters: exact but for writes under way. */
  countRecords(query: { platform: string | null; record_type: string | null }): Promise<number>
}
