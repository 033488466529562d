/** A view that could not be created or deleted, with the reason for the person who runs the hub. */
export type ViewFailure = { view_name: string; reason: string }

/** Views for reading records with SQL: one per registered module, with a column per field. */
export interface SqlViews {
  /**
   * Updates the views to match the modules and their manifests. Writes nothing if they already do. A view that fails
   * (another view depends on it, or the role may not create views) does not prevent the others.
   */
  refreshViews(): Promise<ViewFailure[]>
}
