import type {
  DriftPolicy,
  DriftResponse,
  HubKey,
  ListedModule,
  Manifest,
  ManifestChange,
  Module,
  Platform,
  PlatformHealth,
  PlatformStatus,
  PlatformSummary,
  Removal,
} from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'
import type { DriftingModule } from '../../domain/inbox/inbox.ts'
import type { FormerKey } from '../../domain/platform/api-key.ts'
import type { ManifestKeys } from '../../domain/record/drift.ts'

/** The log entries of a change, written in the transaction of the change. */
export type ChangeLog = { activity: NewActivity; audit: NewAuditEntry }

/** A hub API key as it is stored: its hash, the hint that shows its last characters, and the encrypted key. */
export type StoredHubKey = { key_hash: string; hint: string; ciphertext: string }

export type NewPlatform = {
  platform_name: string
  display_title: string
  platform_description: string
  source_base_url: string
  encrypted_source_key: string
  hub_key: StoredHubKey
  modules: (Module & { registered: boolean })[]
  at: string
}

/** The platform of a hub API key, and the modules that it may push. */
export type AuthenticatedPlatform = {
  hub_key_id: number
  /** When the key expires; null for never. */
  expires_at: string | null
  platform_id: number
  platform_name: string
  display_title: string
  modules: {
    record_type: string
    module_name: string
    drift_policy: DriftPolicy
    manifest_keys: ManifestKeys
  }[]
}

/** The address and key for calls to a platform. */
export type PlatformSource = {
  platform_id: number
  platform_name: string
  display_title: string
  source_base_url: string
  encrypted_source_key: string
}

/** Changes of a platform, each with its entries in the logs. */
export type PlatformUpdate = {
  platform_id: number
  at: string
  source?: { source_base_url: string; encrypted_source_key: string; log: ChangeLog }
  modules?: { record_types: string[]; log: ChangeLog }
  status?: { status: PlatformStatus; log: ChangeLog }
}

export type ActivePlatform = Pick<PlatformSummary, 'id' | 'platform_name' | 'display_title'> & {
  has_modules: boolean
}

export interface PlatformStore {
  /**
   * Registers a platform with its modules, its encrypted source key and its hub key, all or nothing.
   * `platform_name` is unique among registered platforms.
   */
  registerPlatform(
    platform: NewPlatform,
    log: ChangeLog,
  ): Promise<{ outcome: 'registered'; platform: Platform } | { outcome: 'name_taken' }>

  /**
   * Returns the registered platforms without their modules, in the order of their ids: all, or at most `limit` of those
   * `after` an id.
   */
  listPlatforms(page?: { limit: number; after: number }): Promise<PlatformSummary[]>

  /** Returns at most `limit` modules `after` one, in the order of their ids, of one platform or of all. */
  listModules(query: {
    platform: string | null
    limit: number
    after: number
  }): Promise<(ListedModule & { module_id: number })[]>

  /** Returns the active platforms in the order of their ids; `has_modules`: at least one module is registered. */
  listActive(): Promise<ActivePlatform[]>

  /** Returns the health of each platform that is not removed, without its modules. */
  listHealth(): Promise<{ id: number; health: PlatformHealth }[]>

  /** Returns a platform with its modules in the order of the manifest; null if it is not registered. */
  readPlatform(platformId: number): Promise<Platform | null>

  /**
   * Renames a platform. Its id, records, history and keys stay, and its erased records are still recognised, also when it
   * is removed and registered again under the new name. Earlier entries of the logs keep the former name. Scheduled pulls no
   * longer skip it. Its current name changes nothing and is not logged.
   * @returns null for an unknown platform.
   */
  renamePlatform(
    change: { platform_id: number; platform_name: string; at: string },
    log: ChangeLog,
  ): Promise<{ outcome: 'renamed'; platform: Platform } | { outcome: 'name_taken' } | null>

  /**
   * Changes a platform, all or nothing:
   * - `source`: its address and the source API key for it, always both, so that no concurrent change combines an address
   *   with the key of another one. Deletes the previous key. The next pull of each module is unconditional, and scheduled
   *   pulls no longer skip the platform.
   * - `modules`: registers these modules of its manifest and no others. Once it resolves, every node rejects pushes and
   *   pulled records of a module that is not registered. The records of the module stay, and are listed again once it is
   *   registered. A change of a module closes its missing reviews, and makes its next pull unconditional.
   * - `status`: once it resolves, every node rejects pushes of an inactive platform. Scheduled pulls no longer skip a
   *   platform that is activated.
   *
   * Repeating the same modules or the same status changes nothing and is not logged.
   * @returns null for an unknown platform; `removing` names a module whose records are being deleted.
   */
  changePlatform(
    update: PlatformUpdate,
  ): Promise<
    | { outcome: 'changed'; platform: Platform }
    | { outcome: 'unknown_module' | 'removing'; record_type: string }
    | null
  >

  /**
   * Removes a platform. Once it resolves, no list and no pull includes the platform, every node rejects its keys, its
   * source key and counters are deleted, and its name can be registered again. Its tasks in a running pull are cancelled.
   * Its records, their history and its rejected pushes are deleted step by step (`RemovalStore`). The activity and the
   * audit log stay.
   * @returns null if no registered platform has this id and name.
   */
  removePlatform(
    request: { platform_id: number; platform_name: string; requested_by: string; at: string },
    log: ChangeLog,
  ): Promise<Removal | null>

  /** Returns the platform of a valid key by its hash; null if the key is unknown, revoked or expired, or the platform inactive. */
  findPlatformByKey(keyHash: string, at: string): Promise<AuthenticatedPlatform | null>

  /** Returns what became of a key that is rejected, by its hash; null if it is unknown or its platform is removed. */
  findFormerKey(keyHash: string): Promise<FormerKey | null>

  /**
   * Calls `listener` after each change of platforms, modules or hub keys: immediately after changes by this process, soon
   * after changes by other nodes. A call may be lost, so use it only to invalidate caches early.
   */
  onChange(listener: () => void): void

  /**
   * Records that a platform has responded outside of pulls, so that scheduled pulls no longer skip it, on any
   * node. Writes nothing for a platform whose pulls do not fail.
   */
  recordRecovery(platformId: number): Promise<void>

  /**
   * Returns until when scheduled pulls skip a failing platform (`domain/pull/pull-pause.ts`), RFC 3339 in UTC; null if they
   * do not skip it, or the platform is unknown.
   */
  readPauseEnd(platformId: number, now: Date): Promise<string | null>

  /** Returns null for an unknown platform. */
  readSource(platformId: number): Promise<PlatformSource | null>
}

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
}

/** The connection between a platform and the hub: the platform's address, and the keys of both. */
export interface ConnectionStore {
  /** Returns the hub API keys of a platform that are valid at `at`, newest first; none for an unknown platform. */
  readHubKeys(platformId: number, at: string): Promise<HubKey[]>

  /** Returns the newest hub API key of a platform, encrypted; null for an unknown platform. */
  readEncryptedHubKey(platformId: number): Promise<string | null>

  /**
   * Saves a new hub key of a platform. Its existing keys expire at `old_expires_at`, or earlier if they already have an
   * earlier expiry; from then on, every node rejects them.
   * @returns false for an unknown platform.
   */
  rotateHubKey(
    rotation: { platform_id: number; hub_key: StoredHubKey; old_expires_at: string; at: string },
    log: ChangeLog,
  ): Promise<boolean>

  /**
   * Ends the hub keys of a platform that a rotation has replaced and that are still valid. Once it resolves, every node
   * rejects them. The newest key stays.
   * @returns false if there are none, and for an unknown platform; then nothing is logged.
   */
  endOldHubKeys(key: { platform_id: number; at: string }, log: ChangeLog): Promise<boolean>

  /**
   * Stores until when the certificate is valid that the platforms at `origin` presented at `read_at`, instead of the
   * previous one. Writes nothing for a platform whose certificate is unchanged and was read within the last hour.
   * `changePlatform` deletes it if the address changes.
   */
  recordCertificate(certificate: {
    origin: string
    expires_at: string
    read_at: string
  }): Promise<void>
}

/** A text that is encrypted with the hub's secret: a row of `secrets`, or one of the two texts of a second factor. */
export type EncryptedText = {
  of: 'secret' | 'totp secret' | 'recovery codes'
  /** The id of its row. */
  id: string
  /** The purpose that the encryption is bound to; for a second factor, the operator's id. */
  purpose: string
  ciphertext: string
}

export interface SecretStore {
  /**
   * Returns the encrypted key for the references of erased records. Saves the offered one if there is none; concurrent
   * calls return the same key. Waits for a rotation of the secret that is in progress.
   */
  ensureReferencesKey(offered: string): Promise<string>

  /** Returns every encrypted text in the order of the rows, without deleted ones. */
  listEncrypted(): Promise<EncryptedText[]>

  /**
   * Replaces all encrypted texts, ends every session, deletes everything else that was signed with the secret, and
   * writes to the audit log, in one transaction.
   * @param texts the result of `listEncrypted`, each with its new ciphertext.
   * @returns `in_use` if another process uses the database; `changed` if a text was changed, added or deleted since
   *   `listEncrypted`. Neither changes anything.
   */
  reencrypt(
    texts: { before: EncryptedText; ciphertext: string }[],
    audit: NewAuditEntry,
  ): Promise<'reencrypted' | 'changed' | 'in_use'>
}

/** A view that could not be created or deleted, with the reason for the person who runs the hub. */
export type ViewFailure = { view_name: string; reason: string }

/** The statement creates the view for the connection of a reader who can read the tables. */
export type SqlView = { view_name: string; statement: string }

/** Views for reading records with SQL: one per registered module, with a column per field. */
export interface SqlViews {
  /** Defines the views of a platform, or of all. The names are the same in both cases. */
  defineViews(platformId: number | null): AsyncIterable<SqlView>

  /**
   * Updates the stored views to match the modules and their manifests. Writes nothing if they already do. A view that
   * fails (another view depends on it, or the role may not create views) does not prevent the others. On SQLite, there
   * are no stored views.
   */
  refreshViews(): Promise<ViewFailure[]>
}
