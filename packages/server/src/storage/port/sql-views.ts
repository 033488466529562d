/** A view that could not be made or taken away, and why, for whoever runs the hub. */
export type ViewFailure = { view_name: string; reason: string }

/** Views by which people with SQL read records, one a registered module and a column a field. */
export interface SqlViews {
  /**
   * Brings the views to what the modules and their manifests are now; where they are so already, nothing
   * is written. Each view is changed by itself, so one that fails (somebody else's view rests on it, the
   * role may not create) leaves the others.
   */
  refreshViews(): Promise<ViewFailure[]>
}
