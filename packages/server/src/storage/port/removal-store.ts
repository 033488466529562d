import type { ModuleRemovalPreview, PlatformRemovalPreview, Removal } from '@recordhub/protocol'
import type { ChangeLog } from './platform-store.ts'

/** A module of a platform by its names on the wire. */
export type NamedModule = { platform_id: number; record_type: string }

/** Deleting many records, in the background. That a platform goes is asked of `PlatformStore`. */
export interface RemovalStore {
  /** What removing a platform would take; null where there is no such platform. */
  previewPlatform(platformId: number): Promise<PlatformRemovalPreview | null>

  /** What deleting a module's records would take; null where there is no such module. */
  previewModule(module: NamedModule): Promise<ModuleRemovalPreview | null>

  /**
   * Has the records of a module that is not registered deleted; none of them can be written any more, and
   * the module cannot be registered until they are gone. Asked again meanwhile, the answer is the removal
   * that is under way, and nothing is logged.
   * @returns `registered` where the module is; null where there is no such module.
   */
  removeModuleRecords(
    request: NamedModule & { requested_by: string },
    log: ChangeLog,
  ): Promise<Removal | 'registered' | null>

  /**
   * Does one step of the oldest removal under way, a few hundred rows in a transaction with the counters
   * and what followers are told; the last step ends it, with a line of activity. Steps of several nodes
   * follow one another, so that each row is removed once; a step that was cut off left nothing.
   * Where none is under way, the database's files lose what removals and erasures have deleted, also what
   * a process that was killed left over, as far as `eraseRecord` says.
   * @returns whether there was anything to do.
   */
  removeNext(): Promise<boolean>

  /** Newest first, those with an id below `before` only. */
  listRemovals(query: { limit: number; before: number | null }): Promise<Removal[]>
}
