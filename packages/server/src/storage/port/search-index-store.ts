import type { ChangeLog } from './platform-store.ts'

/** An index of a field's values; lists are sorted and filtered by it once it is built. */
export type IndexedFieldState = { key: string; is_built: boolean }

type SearchIndexState = {
  /** How many changed records the indexes do not hold yet, counted up to {@link LAG_LIMIT}. */
  lag: number
  /** When the first of them was changed; null where all are in the indexes. */
  behind_since: string | null
  /** Whether there is an index of texts; else searches go through records. */
  has_text_index: boolean
}

export const LAG_LIMIT = 10_000

export interface SearchIndexStore {
  /**
   * Takes the records that were changed next, at most so many, into the index of texts and the indexes of
   * their modules' fields, in the order of their changes; where there are fewer, goes on building an index
   * that was chosen since. A step is one short transaction. Of several processes one works at a time.
   * @returns how many records were taken; 0 where all is done, or another process is at it.
   */
  indexNext(limit: number): Promise<number>

  /** How far the indexes have followed the changes of records. Costs no more with more records. */
  readSearchIndex(): Promise<SearchIndexState>

  /** The indexed fields of a module, in the order they were chosen; null where there is no such module. */
  listIndexedFields(platformId: number, recordType: string): Promise<IndexedFieldState[] | null>

  /**
   * Chooses the fields of a module that are indexed, at most `MAX_INDEXED_FIELDS`. Indexes that stay are kept
   * as they are; new ones are built by `indexNext`. The same choice again is no change and is not logged.
   * @returns null where there is no such module.
   */
  setIndexedFields(
    choice: { platform_id: number; record_type: string; keys: string[]; at: string },
    log: ChangeLog,
  ): Promise<IndexedFieldState[] | null>
}
