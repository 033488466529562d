import type { Facet, Field, MissingReason } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { FoundPaths } from '../../domain/record/data-values.ts'
import type {
  DataColumn,
  FieldKinds,
  RecordFilter,
  RecordOrder,
} from '../../domain/record/record-query.ts'

export type RecordRow = {
  record_id: number
  platform_name: string
  module_name: string
  record_type: string
  reference_number: string
  full_name: string
  /** Lossless JSON text. */
  data: string
  incomplete: boolean
  missing_since: string | null
  missing_reason: MissingReason | null
  created_at: string
  updated_at: string
  /** The write sequence of the last change. */
  change_seq: number
}

/**
 * A position in a list, usually that of a record. `value` is a `record_id` (sorts `record_id`, `created_at`), a
 * `change_seq` (`updated_at`), the text itself, or the sort key of a field's value
 * (`domain/record/sort-key.ts`); null if the field is absent or null.
 */
export type Position = { value: string | number | null; record_id: number }

export type ModuleRef = { platform_id: number; module_id: number }

/** What the names in a query mean: its modules, and what its fields are compared as. */
export type ListScope = {
  /** Whether the query names neither a platform nor a module. */
  everywhere: boolean
  /** Whether these are all modules, of which none is being deleted. `modules` may be empty then. */
  all: boolean
  modules: ModuleRef[]
  /** Of the fields in the sort and the conditions. */
  kinds: FieldKinds
  /** Identifies the records of the missing review in the query; null without one. */
  reviewed: string | null
  /** The id of the newest removal of a platform or of a module's records, finished or not. */
  last_removal: number
}

/** A scope with the names and fields of its modules, in the order in which platforms and their modules are listed. */
export type NamedScope = Omit<ListScope, 'modules'> & {
  modules: (ModuleRef & { platform_name: string; record_type: string; fields: Field[] })[]
}

/** The parts of a query that decide its scope. */
export type ScopeQuery = Pick<
  RecordFilter,
  'platform' | 'record_type' | 'conditions' | 'missing_review'
> &
  Pick<RecordOrder, 'sort'>

export type RecordQuery = RecordFilter &
  RecordOrder & {
    /** Of this query, from `readScope`; null to read it with the page. */
    scope: ListScope | null
    limit: number
    /** The position after which the page begins; null for the start of the list, or its end if `backwards`. */
    after: Position | null
    /** Whether to read the page that ends before `after`. */
    backwards: boolean
    /** Time limit for records that no index finds. The first step is read even if it takes longer. */
    scan_ms: number
  }

export type RecordPage = {
  outcome: 'listed'
  /** In the order of the list, even if it was read backwards. */
  records: RecordRow[]
  /** The positions of the first and last record. */
  first: Position | null
  last: Position | null
  /** Whether there are records beyond the page, in the direction of reading. */
  has_more: boolean
  /** The position reached at the time limit, if the page is not full. Reading on from here skips nothing. */
  stopped_at: Position | null
  /** The number of records in the whole list. */
  estimated_total: number
  is_estimate: boolean
}

/** Whether a reading of many records reached its end within its limits, and how many it has examined. */
export type Examined = { examined: number; complete: boolean }

export type FacetQuery = RecordFilter & {
  columns: DataColumn[]
  /** Of this query, from `readScope`. */
  scope: ListScope
  /** Time limit for records that no index finds. The first step is read even if it takes longer. */
  scan_ms: number
}

export interface RecordListStore {
  /** Reads the scope of a query. A platform or module that does not exist, or is removed, has no modules. */
  readScope(query: ScopeQuery): Promise<ListScope>

  /** As `readScope`, with all modules of the list, and their fields. */
  readNamedScope(query: ScopeQuery): Promise<NamedScope>

  /**
   * Reads one page. Records of equal value are ordered by `record_id` in the same direction; records without a
   * value come last in both directions. Text is ordered by code point. A field is ordered as a number if it is
   * one in the scope. Unknown names return an empty page.
   *
   * A page of large records is shorter than its limit: it ends with the record at which its data reaches some
   * megabytes. Successive pages return each record once, unless a write moves it. A search or a filter by an
   * indexed field does not find records that are not yet indexed (`SearchIndexStore`).
   *
   * @returns `too_slow` if a sort without an index could not be completed in `scan_ms` (`limitWork`). `changed` if the
   * scope of the query no longer holds: a platform or the records of a module in it have been removed since it was
   * read, or the missing review has other records. The page would lack records.
   */
  listRecords(
    query: RecordQuery,
  ): Promise<RecordPage | { outcome: 'too_slow' } | { outcome: 'changed' }>

  /**
   * Counts the values of columns in the records of a list. Conditions on one of the columns restrict the others only. If the
   * time limit ends before the list, or there are too many values of every column, the reading is not complete: the
   * counts are those of the examined records.
   *
   * @returns `changed` as `listRecords`.
   */
  countValues(
    query: FacetQuery,
  ): Promise<({ outcome: 'counted'; facets: Facet[] } & Examined) | { outcome: 'changed' }>

  /** Finds the paths in the data of the last changed records of a module, at most some hundred within `scan_ms`. */
  findPaths(query: {
    platform: string
    record_type: string
    scan_ms: number
  }): Promise<FoundPaths & Examined>

  /** Counts the records of a platform and module, from the counters: exact except for writes in progress. */
  countRecords(query: { platform: string | null; record_type: string | null }): Promise<number>
}

export type StoredView = {
  id: number
  name: string
  /** The query of a list's URL. */
  query: string
  /** Identifies the operator or token that owns the view. */
  owner: string
  shared: boolean
  created_at: string
  updated_at: string
}

export type ViewContent = Pick<StoredView, 'name' | 'query' | 'shared'>

/** Maximum number of views of an owner. */
export const MAX_VIEWS = 200

export interface ViewStore {
  /** Returns the views of an owner and all shared views, by name. */
  listViews(owner: string): Promise<StoredView[]>

  /** Returns a view of any owner; null if it does not exist. */
  readView(viewId: number): Promise<StoredView | null>

  /** Saves a view, unless the owner already has a view of that name or {@link MAX_VIEWS} views. */
  createView(
    view: ViewContent & { owner: string },
    audit: NewAuditEntry,
  ): Promise<StoredView | 'name_taken' | 'too_many'>

  /** Changes a view. Returns `name_taken` if its owner has another view of that name; null if it does not exist. */
  changeView(
    viewId: number,
    change: Partial<ViewContent>,
    audit: NewAuditEntry,
  ): Promise<StoredView | 'name_taken' | null>

  /** @returns whether the view existed. */
  deleteView(viewId: number, audit: NewAuditEntry): Promise<boolean>
}
