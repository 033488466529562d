import type {
  DriftAnswer,
  DriftPolicy,
  Manifest,
  ManifestChange,
  ModuleCompleteness,
} from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'
import type { ChangeLog } from './platform-store.ts'

export interface ManifestStore {
  /**
   * Claims to ask for a platform's manifest at `at`, where it was not asked for or fetched after `notSince`
   * (both RFC 3339 in UTC). Writes nothing where it was.
   * @returns true for one caller, however many ask at once.
   */
  reserveManifestFetch(platformId: number, when: { at: string; notSince: string }): Promise<boolean>

  /**
   * Takes a platform's manifest over: words, modules and fields, in its order. New modules are offered and
   * not registered; modules and fields that it does not name any more are marked and kept. Where a module
   * is otherwise than before, its drift is counted anew and the answer that is kept for it is dropped; the
   * index of a field whose type is another one is built anew.
   * Scheduled pulls no longer skip the platform.
   * The changes are kept, with the lines of `describe`; where there is none, neither is.
   * @returns what has changed; null where there is no such platform.
   */
  saveManifest(
    fetched: { platform_id: number; manifest: Manifest; at: string },
    describe: (changes: ManifestChange[]) => {
      activity: NewActivity
      /** Null where nobody asked for it. */
      audit: NewAuditEntry | null
    },
  ): Promise<ManifestChange[] | null>

  /**
   * The latest changes of a platform's manifest, and the drift of its modules: so many records, new or
   * changed, had a key that the manifest does not name, lacked one that it requires, or had a
   * value of another type than it declares. At most some
   * hundred keys a module.
   */
  readDrift(platformId: number): Promise<Omit<DriftAnswer, 'success'> | null>

  /**
   * Says what becomes of a module's records that drift. What it is already is no change and is not logged.
   * @returns whether there is such a module.
   */
  setDriftPolicy(
    change: { platform_id: number; record_type: string; drift_policy: DriftPolicy; at: string },
    log: ChangeLog,
  ): Promise<boolean>

  /**
   * Whether the records of registered modules are all here, by module id, those after `after` only. Comes
   * from what reads have left and from counters: it reads no records but those that are marked as missing.
   */
  listCompleteness(query: {
    platform: string | null
    limit: number
    after: number | null
  }): Promise<ModuleCompleteness[]>
}
