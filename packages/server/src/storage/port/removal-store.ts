import type { ModuleRemovalPreview, PlatformRemovalPreview, Removal } from '@recordhub/protocol'
import type { ChangeLog } from './platform-store.ts'

/** A module of a platform, by its record type. */
export type NamedModule = { platform_id: number; record_type: string }

/** Deletes many records in the background. `PlatformStore.removePlatform` begins the removal of a platform. */
export interface RemovalStore {
  /** Counts the rows that removing a platform would delete. @returns null if the platform does not exist. */
  previewPlatform(platformId: number): Promise<PlatformRemovalPreview | null>

  /** Counts the records of a module. @returns null if the module does not exist. */
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
   * of changes in the same transaction. The last step finishes the removal and appends an activity entry. Steps of
   * several nodes run one after another; an interrupted step changes nothing.
   *
   * If no removal is in progress, runs the pending purge: the files of the database no longer contain deleted rows, as
   * far as `eraseRecord` promises. This includes rows that a process deleted before it was killed.
   * @returns whether there was a step or a purge to run.
   */
  runNextStep(): Promise<boolean>

  /** Lists removals with an id below `before`, newest first; with `platform` those of the platform itself, by id or name. */
  listRemovals(query: {
    limit: number
    before: number | null
    platform?: { id: number } | { name: string } | null
  }): Promise<Removal[]>
}
