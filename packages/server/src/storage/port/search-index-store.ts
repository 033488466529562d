import type { ChangeLog } from './platform-store.ts'

/** The index of a field. Lists are sorted and filtered by it once it is built. */
export type IndexedFieldState = { key: string; is_built: boolean }

type SearchIndexState = {
  /** The number of changed records that are not yet indexed, counted up to {@link LAG_LIMIT}. */
  lag: number
  /** When the first of them was changed; null if all records are indexed. */
  behind_since: string | null
}

export const LAG_LIMIT = 10_000

export interface SearchIndexStore {
  /**
   * Adds the next changed records, at most `limit`, to the text index, in the order of their changes. Each call is one
   * transaction. Only one process indexes at a time. On SQLite, the index is a file of its own, which a thread writes;
   * if it is missing, damaged or of another version, it is created anew, from the first change on.
   * @returns the number of changes indexed, or `limit` if the call ended early because they are large; 0 if no work is
   *   left, or another process is indexing. So fewer than `limit` means that no work is left.
   */
  indexTexts(limit: number): Promise<number>

  /**
   * Makes `indexTexts` index all records again. It may be called by any process. Until they are indexed, searches do not
   * find the records.
   */
  rebuildTextIndex(): Promise<void>

  /**
   * Adds the next changed records, at most `limit`, to the indexes of fields, in the order of their changes. If there are
   * fewer, it continues to build new indexes, then deletes removed indexes. Each call is one short transaction. Only one
   * process indexes at a time. Records of modules without indexed fields are not read.
   * @returns the number of records indexed; 0 if no work is left, or another process is indexing.
   */
  indexFields(limit: number): Promise<number>

  /** Returns how far the indexes follow the changes of records. The cost does not depend on the number of records. */
  readSearchIndex(): Promise<SearchIndexState>

  /** Returns the indexed fields of a module, in the order in which they were chosen; null for an unknown module. */
  listIndexedFields(platformId: number, recordType: string): Promise<IndexedFieldState[] | null>

  /**
   * Chooses the indexed fields of a module, at most `MAX_INDEXED_FIELDS`. Existing indexes of these fields stay;
   * `indexFields` builds the new ones. Repeating the same choice changes nothing and is not logged.
   * @returns null for an unknown module.
   */
  setIndexedFields(
    choice: { platform_id: number; record_type: string; keys: string[]; at: string },
    log: ChangeLog,
  ): Promise<IndexedFieldState[] | null>
}
