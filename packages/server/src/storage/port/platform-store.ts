import type { DriftPolicy, Module, Platform, PlatformStatus } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity.ts'
import type { ManifestKeys } from '../../domain/drift.ts'

/** Lines that go into the same transaction as the change they tell of. */
export type ChangeLog = { activity: NewActivity; audit: NewAuditEntry }

export type NewPlatform = {
  platform_name: string
  display_title: string
  platform_description: string
  source_base_url: string
  sealed_source_key: string
  hub_key: { key_hash: string; hint: string; sealed: string }
  modules: (Module & { registered: boolean })[]
  at: string
}

/** What a hub API key opens: its platform and the modules that it may push. */
export type Receiver = {
  hub_key_id: number
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

/** What it takes to call a platform. */
export type PlatformSource = {
  platform_id: number
  platform_name: string
  display_title: string
  source_base_url: string
  sealed_source_key: string
}

export interface PlatformStore {
  /**
   * Registers a platform with its modules, its sealed source key and its hub key, all or nothing.
   * `platform_name` is unique among registered platforms.
   */
  registerPlatform(
    platform: NewPlatform,
    log: ChangeLog,
  ): Promise<{ outcome: 'registered'; platform: Platform } | { outcome: 'name_taken' }>

  /** Every registered platform with its modules, by title. */
  listPlatforms(): Promise<Platform[]>

  readPlatform(platformId: number): Promise<Platform | null>

  /**
   * Switches a platform. Once it resolves, pushes of an inactive platform are refused on every node.
   * Switching to the status it has is no change and is not logged.
   * @returns null where there is no such platform.
   */
  setPlatformStatus(
    change: { platform_id: number; status: PlatformStatus; at: string },
    log: ChangeLog,
  ): Promise<Platform | null>

  /** What the key with this hash opens now; null where it is unknown, revoked or expired, or its platform inactive. */
  findReceiver(keyHash: string, at: string): Promise<Receiver | null>

  /**
   * Has `listener` called after each change of platforms, modules or hub keys, as far as this process
   * learns of it: of its own at once, of other nodes' soon. A call may be lost, so nothing must rest on
   * it but speed.
   */
  onChange(listener: () => void): void

  readSource(platformId: number): Promise<PlatformSource | null>
}
