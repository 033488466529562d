import type { NewAuditEntry } from '../../domain/activity/activity.ts'

export type StoredView = {
  id: number
  name: string
  /** The query of a list's URL. */
  query: string
  /** Whose it is, in words that tell callers apart. */
  owner: string
  shared: boolean
  created_at: string
  updated_at: string
}

export type ViewContent = Pick<StoredView, 'name' | 'query' | 'shared'>

export interface ViewStore {
  /** A caller's own views and those that are shared, by name. */
  listViews(owner: string): Promise<StoredView[]>

  /** Whosever it is; null where there is none. */
  readView(viewId: number): Promise<StoredView | null>

  /** Saves a view. A name stands once among the views of an owner: null where it is taken. */
  createView(
    view: ViewContent & { owner: string },
    audit: NewAuditEntry,
  ): Promise<StoredView | null>

  /** Changes what is given of a view; `name_taken` where its owner has another one of that name. */
  changeView(
    viewId: number,
    change: Partial<ViewContent>,
    audit: NewAuditEntry,
  ): Promise<StoredView | 'name_taken' | null>

  /** @returns whether it was there. */
  deleteView(viewId: number, audit: NewAuditEntry): Promise<boolean>
}
