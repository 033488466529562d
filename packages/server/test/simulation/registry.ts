/**
 * What operators have registered, as the reference model expects it: platforms, their modules and hub keys, and the
 * records that must not be stored again because they were erased.
 */
import type { ModelRecord, Outcome } from './model.ts'

export type Counters = Record<
  'received_post' | 'received_patch' | 'received_pull' | Exclude<Outcome, 'held'>,
  number
>

export type ModelModule = {
  module_id: number
  platform: ModelPlatform
  record_type: string
  /** The keys that the stored manifest names. */
  keys: readonly string[]
  isRegistered: boolean
  records: Map<string, ModelRecord>
  /** The pushes, and the changes that make the next read unconditional. */
  pushes: number
  /** The virtual time at which the last erased record was deleted; null if there is none. */
  erasedAt: number | null
  /** The last complete read that contained all records. */
  lastRead: { position: number; requestedAt: number } | null
}

export type ModelPlatform = {
  platform_id: number
  name: string
  /** The host of its address. */
  host: string
  isActive: boolean
  isRemoved: boolean
  /** When each hub key expires, in milliseconds; null for never. By the hash of the key. */
  keys: Map<string, number | null>
  modules: ModelModule[]
  counters: Counters
  /** The virtual time of the last change of its status, keys, modules or erased records. */
  changedAt: number
}

export type NewModelPlatform = Pick<ModelPlatform, 'platform_id' | 'name' | 'host'> & {
  key_hash: string
  modules: Pick<ModelModule, 'module_id' | 'record_type' | 'keys'>[]
}

/** Identifies a record independently of the registration of its platform. */
export type RecordName = { platform: string; record_type: string; reference: string }

/** Why a write must be rejected; the codes of the hub. */
export type Rejection =
  | 'api_key_invalid'
  | 'module_not_registered'
  | 'record_erased'
  | 'platform_inactive'

export class Registry {
  readonly platforms: ModelPlatform[] = []
  /** The names of erased records. They outlive the removal and new registration of their platform. */
  readonly #erased = new Set<string>()

  add({ platform_id, name, host, key_hash, modules }: NewModelPlatform): void {
    const platform: ModelPlatform = {
      ...{ platform_id, name, host, isActive: true, isRemoved: false, modules: [] },
      keys: new Map([[key_hash, null]]),
      counters: noCounters(),
      changedAt: performance.now(),
    }
    const unread = { isRegistered: true, pushes: 0, erasedAt: null, lastRead: null }
    platform.modules = modules.map((module) => ({
      ...{ ...module, ...unread, platform, records: new Map() },
    }))
    this.platforms.push(platform)
  }

  /** The modules of all platforms that are not removed. */
  get modules(): ModelModule[] {
    return this.platforms.flatMap(({ isRemoved, modules }) => (isRemoved ? [] : modules))
  }

  /** Returns a platform that is not removed. */
  findPlatform(platformId: number): ModelPlatform | null {
    return this.platforms.find((one) => one.platform_id === platformId && !one.isRemoved) ?? null
  }

  platformNamed(name: string): ModelPlatform | null {
    return this.platforms.find((one) => one.name === name && !one.isRemoved) ?? null
  }

  moduleOf(moduleId: number): ModelModule {
    const modules = this.platforms.flatMap((platform) => platform.modules)
    const found = modules.find(({ module_id }) => module_id === moduleId)
    if (!found) throw new Error(`No module ${moduleId}`)
    return found
  }

  /** Changes a platform, if it is registered. */
  change(platformId: number, change: (platform: ModelPlatform) => void): void {
    const platform = this.findPlatform(platformId)
    if (!platform) return
    change(platform)
    platform.changedAt = performance.now()
  }

  /** The old keys of a platform expire, and it has a new one. */
  rotateKey(platform: ModelPlatform, newHash: string, oldExpiresAt: number): void {
    for (const [hash, expiresAt] of platform.keys) {
      platform.keys.set(hash, Math.min(expiresAt ?? Number.POSITIVE_INFINITY, oldExpiresAt))
    }
    platform.keys.set(newHash, null)
  }

  setErased({ platform, record_type, reference }: RecordName, isErased: boolean): void {
    const name = `${platform} ${record_type} ${reference}`
    if (isErased) this.#erased.add(name)
    else this.#erased.delete(name)
    const current = this.platformNamed(platform)
    if (current) current.changedAt = performance.now()
  }

  isErased({ platform, record_type }: ModelModule, reference: string): boolean {
    return this.#erased.has(`${platform.name} ${record_type} ${reference}`)
  }

  /** Whether a record of a platform is erased. */
  hasErased(platform: string): boolean {
    return [...this.#erased].some((name) => name.startsWith(`${platform} `))
  }

  /** The platform that a hub key belongs to; null if it must be rejected. @param at the time of the hub. */
  platformOfKey(keyHash: string, at: number): ModelPlatform | null {
    const platform = this.platforms.find(({ keys }) => keys.has(keyHash))
    if (!platform || platform.isRemoved || !platform.isActive) return null
    const expiresAt = platform.keys.get(keyHash) ?? null
    return expiresAt === null || expiresAt > at ? platform : null
  }

  /** The module that a write of a platform belongs to, or why it must be rejected. */
  authorize(
    platform: ModelPlatform,
    { record_type, reference_number }: { record_type: string; reference_number: string },
  ): ModelModule | Rejection {
    const module = platform.modules.find((one) => one.record_type === record_type)
    if (platform.isRemoved || !platform.isActive) return 'platform_inactive'
    if (!module?.isRegistered) return 'module_not_registered'
    return this.isErased(module, reference_number) ? 'record_erased' : module
  }
}

function noCounters(): Counters {
  const received = { received_post: 0, received_patch: 0, received_pull: 0 }
  return { ...received, created: 0, updated: 0, unchanged: 0, stale: 0 }
}
