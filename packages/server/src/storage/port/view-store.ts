import type { NewAuditEntry } from '../../domain/activity/activity.ts'

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
