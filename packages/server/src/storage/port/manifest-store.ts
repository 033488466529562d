import type {
  DriftPolicy,
  DriftResponse,
  Manifest,
  ManifestChange,
  ModuleCompleteness,
} from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'
import type { DriftingModule } from '../../domain/inbox/inbox.ts'
import type { ChangeLog } from './platform-store.ts'

export interface ManifestStore {
  /**
   * Records that a platform's manifest is requested at `at`, unless it was requested or fetched after `notSince` (both
   * RFC 3339 in UTC).
   * @returns true for only one of several concurrent calls.
   */
  reserveManifestFetch(platformId: number, when: { at: string; notSince: string }): Promise<boolean>

  /**
   * Saves a platform's manifest: title, description, modules and fields, in its order. New modules are not registered.
   * Modules and fields that it no longer names are marked as removed. If the fields of a module change, its drift counts
   * and its cached response are deleted. If the type of a field changes, its index is rebuilt. Scheduled pulls no longer
   * skip the platform. Changes are saved, and logged with the entries that `describe` returns.
   * @returns the changes; null for an unknown platform.
   */
  saveManifest(
    fetched: { platform_id: number; manifest: Manifest; at: string },
    describe: (changes: ManifestChange[]) => {
      activity: NewActivity
      /** Null if the hub fetched the manifest by itself. */
      audit: NewAuditEntry | null
    },
  ): Promise<ManifestChange[] | null>

  /**
   * Returns the latest changes of a platform's manifest and the drift of its modules: the number of new or changed
   * records with a key that the manifest does not name, without a required key, or with a value of another type. At most
   * some hundred keys per module.
   */
  readDrift(platformId: number): Promise<Omit<DriftResponse, 'success'> | null>

  /** Returns the registered modules of all platforms with a drift, each with its keys, the most frequent first. */
  listDrift(): Promise<DriftingModule[]>

  /**
   * Sets the drift policy of a module. Setting the current one changes nothing and is not logged.
   * @returns whether the module exists.
   */
  setDriftPolicy(
    change: { platform_id: number; record_type: string; drift_policy: DriftPolicy; at: string },
    log: ChangeLog,
  ): Promise<boolean>

  /**
   * Returns the completeness of registered modules with an id above `after`, by id. Uses the results of pulls and the
   * counters, and reads no records except missing ones.
   */
  listCompleteness(query: {
    platform: string | null
    limit: number
    after: number | null
  }): Promise<ModuleCompleteness[]>
}
