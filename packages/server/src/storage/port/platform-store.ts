import type { DriftPolicy, Module, Platform, PlatformStatus, Removal } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'
import type { ManifestKeys } from '../../domain/record/drift.ts'

/** Lines that go into the same transaction as the change they tell of. */
export type ChangeLog = { activity: NewActivity; audit: NewAuditEntry }

/** A hub API key as it is stored. */
export type SealedHubKey = { key_hash: string; hint: string; sealed: string }

export type NewPlatform = {
  platform_name: string
  display_title: string
  platform_description: string
  source_base_url: string
  sealed_source_key: string
  hub_key: SealedHubKey
  modules: (Module & { registered: boolean })[]
  at: string
}

/** What a hub API key opens: its platform and the modules that it may push. */
export type AuthenticatedPlatform = {
  hub_key_id: number
  /** When the key opens nothing any more; null for never. */
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

  /** As `listPlatforms` gives it; null where it is not registered, or not any more. */
  readPlatform(platformId: number): Promise<Platform | null>

  /**
   * Switches a platform. Once it resolves, pushes of an inactive platform are refused on every node.
   * Switching to the status it has is no change and is not logged. Scheduled pulls no longer skip a platform
   * that is switched on.
   * @returns null where there is no such platform.
   */
  setPlatformStatus(
    change: { platform_id: number; status: PlatformStatus; at: string },
    log: ChangeLog,
  ): Promise<Platform | null>

  /**
   * Registers these modules of a platform's manifest and no others; what is chosen already stays as it is.
   * Once it resolves, pushes of and reads for a module that is not registered are refused on every node;
   * its records stay, and are there when it is registered again. Questions about its missing records close,
   * and its next read asks for all. To what it is already is no change and is not logged.
   * @returns null where there is no such platform; `removing` names a module whose records are being deleted.
   */
  setRegisteredModules(
    change: { platform_id: number; record_types: string[]; at: string },
    log: ChangeLog,
  ): Promise<
    | { outcome: 'changed'; platform: Platform }
    | { outcome: 'unknown_module' | 'removing'; record_type: string }
    | null
  >

  /**
   * Removes a platform: once it resolves, it is in no list and no pull, its keys open nothing on any node,
   * its source key is destroyed, its counters are gone and its name is free. What it has in a pull that
   * runs ends there. Its records, their history and what was refused go step by step (`RemovalStore`);
   * the activity and the audit stay.
   * @returns null where there is no platform of that number and name, or not any more.
   */
  removePlatform(
    request: { platform_id: number; platform_name: string; requested_by: string; at: string },
    log: ChangeLog,
  ): Promise<Removal | null>

  /** What the key with this hash opens now; null where it is unknown, revoked or expired, or its platform inactive. */
  findPlatformByKey(keyHash: string, at: string): Promise<AuthenticatedPlatform | null>

  /**
   * Has `listener` called after each change of platforms, modules or hub keys, as far as this process
   * learns of it: of its own at once, of other nodes' soon. A call may be lost, so nothing must rest on
   * it but speed.
   */
  onChange(listener: () => void): void

  /**
   * Records that a platform has responded outside of pulls, so that scheduled pulls no longer skip it, on any
   * node. Writes nothing for a platform whose pulls do not fail.
   */
  recordRecovery(platformId: number): Promise<void>

  /**
   * Until when scheduled pulls skip a failing platform (`domain/pull/pull-pause.ts`), RFC 3339 in UTC; null where they do not,
   * or where there is no such platform.
   */
  readPauseEnd(platformId: number, now: Date): Promise<string | null>

  /** Null where there is no such platform. */
  readSource(platformId: number): Promise<PlatformSource | null>
}
