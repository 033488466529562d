import type { ModuleRemovalPreview, PlatformRemovalPreview, Removal } from '@recordhub/protocol'
import type { ChangeLog } from './platform-store.ts'

/** A module of a platform, by its record type. */
export type NamedModule = { platform_id: number; record_type: string }

/** Deletes many records in the background. `PlatformStore.removePlatform` begins the removal of a platform. */
export interface RemovalStore {
  /** Returns what removing a platform would delete; null if the platform does not exist. */
  previewPlatform(platformId: number): Promise<PlatformRemovalPreview | null>

  /** Returns what deleting a module's records would delete; null if the module does not exist. */
  previewModule(module: NamedModule): Promise<ModuleRemovalPreview | null>

  /**
   * Begins to delete the records of a module that is not registered. From then on none of them can be written, and the
   * module cannot be registered until all are deleted. If this removal is already in progress, it is returned and
   * nothing is logged.
   * @returns `registered` if the module is registered; null if it does not exist.
   */
  removeModuleRecords(
    request: NamedModule & { requested_by: string },
    log: ChangeLog,
  ): Promise<Removal | 'registered' | null>

  /**
   * Runs one step of the oldest removal in progress: deletes a few hundred rows, and updates the counters and the feed
   * of changes in the same transaction. The last step finishes the removal and appends a line of activity. Steps of
   * several nodes run one after another; an interrupted step changes nothing.
   *
   * If no removal is in progress, runs the pending purge: deleted rows leave the database's files, including those of
   * a process that was killed, as far as `eraseRecord` promises.
   * @returns whether there was anything to do.
   */
  runNextStep(): Promise<boolean>

  /** Lists removals with an id below `before`, newest first. */
  listRemovals(query: { limit: number; before: number | null }): Promise<Removal[]>
}
