import type { Selectable } from 'kysely'
import type { Drift } from '../../../domain/record/drift.ts'
import { isStorableText } from '../../../lib/text/code-points.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import type { RecordWrite } from '../../port/record-store.ts'
import type { TotalDelta } from '../records/digest-deltas.ts'
import type { WritableModule } from '../records/write-rows.ts'
import type { Tables } from '../schema/tables.ts'

export type HourlyCounts = Omit<
  Selectable<Tables['hourly_counters']>,
  'day' | 'hour' | 'node' | 'rejected'
>

export type ModuleCount = {
  platform_id: number
  module_id: number
  created: number
  pushes: number
  invalidations: number
  versions: number
  version_sum: number
}

/** The number of records of a batch in which a key was unknown, absent or had a value of a wrong type. */
export type DriftCount = {
  platform_id: number
  module_id: number
  kind: keyof Drift
  key: string
  count: number
}

/** Maximum number of keys counted by name for each module, kind of drift and node. */
export const MAX_DRIFT_KEYS = 100
const MAX_KEY_LENGTH = 200

/** Sums the counters of a batch, so that it writes one row per platform and one per module. */
export class CounterDeltas {
  readonly #platforms = new Map<number, HourlyCounts>()
  readonly #modules = new Map<number, ModuleCount>()
  /** By module, kind and key. */
  readonly #drifts = new Map<number, Record<keyof Drift, Map<string, DriftCount>>>()
  #driftKeys = 0

  /** Counts a write. Does not count an unchanged pulled record, because it must not cause a write. */
  count(
    write: RecordWrite,
    module: WritableModule,
    outcome: 'created' | 'updated' | 'unchanged' | 'stale',
  ): void {
    if (write.drift && (outcome === 'created' || outcome === 'updated')) {
      this.#countDrift(module, write.drift)
    }
    const { source } = write.content
    const isOfRead = 'read' in write
    if (isOfRead && outcome === 'unchanged') return
    const counts = this.#countsOf(module.platform_id)
    // A revert is not received.
    if (source !== 'revert') counts[outcome] += 1
    if (source === 'POST') counts.received_post += 1
    else if (source === 'PATCH') counts.received_patch += 1
    else if (isOfRead && outcome === 'stale') return
    else if (source !== 'revert') counts.received_pull += 1
    const { platform_id, module_id } = module
    const moduleCount = this.#modules.get(module_id) ?? countNothing({ platform_id, module_id })
    if (outcome === 'created') moduleCount.created += 1
    // A replay is not part of a read either, so it counts as a push.
    if (source === 'revert') moduleCount.invalidations += 1
    else if (!isOfRead) moduleCount.pushes += 1
    this.#modules.set(module_id, moduleCount)
  }

  /** Returns the counts of platforms, sorted, so that all nodes lock the rows in the same order. */
  platforms(): HourlyCounts[] {
    return [...this.#platforms.values()].sort((one, other) => one.platform_id - other.platform_id)
  }

  /** Returns the counts of modules, with the differences of their totals, sorted for the same reason. */
  modules(totals: readonly TotalDelta[]): ModuleCount[] {
    const modules = new Map(this.#modules)
    for (const total of totals) {
      modules.set(total.module_id, {
        ...(modules.get(total.module_id) ?? countNothing(total)),
        ...total,
      })
    }
    return [...modules.values()].sort((one, other) => one.module_id - other.module_id)
  }

  /** Returns the counts of drift, sorted for the same reason. */
  drifts(): DriftCount[] {
    const nameOf = ({ module_id, kind, key }: DriftCount) => JSON.stringify([module_id, kind, key])
    return [...this.#drifts.values()]
      .flatMap((kinds) => Object.values(kinds).flatMap((counts) => [...counts.values()]))
      .map((count) => [nameOf(count), count] as const)
      .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
      .map(([, count]) => count)
  }

  #countDrift(module: WritableModule, { absent, unknown, wrong_type }: Drift): void {
    const { module_id } = module
    const known = this.#drifts.get(module_id)
    const counts = known ?? { absent: new Map(), unknown: new Map(), wrong_type: new Map() }
    if (!known) this.#drifts.set(module_id, counts)
    this.#countKeys(module, 'absent', absent, counts.absent)
    this.#countKeys(module, 'unknown', unknown, counts.unknown)
    const keys = wrong_type.map(({ key }) => key)
    this.#countKeys(module, 'wrong_type', keys, counts.wrong_type)
  }

  #countKeys(
    { platform_id, module_id }: WritableModule,
    kind: keyof Drift,
    keys: readonly string[],
    counts: Map<string, DriftCount>,
  ): void {
    for (const key of new Set(keys.map(toStorableKey))) {
      const known = counts.get(key)
      if (known) known.count += 1
      else if (this.#driftKeys < MAX_DRIFT_KEYS) {
        this.#driftKeys += 1
        counts.set(key, { platform_id, module_id, kind, key, count: 1 })
      }
    }
  }

  #countsOf(platformId: number): HourlyCounts {
    const known = this.#platforms.get(platformId)
    if (known) return known
    const counts = {
      platform_id: platformId,
      received_post: 0,
      received_patch: 0,
      received_pull: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      stale: 0,
    }
    this.#platforms.set(platformId, counts)
    return counts
  }
}

/** A count of a module to which nothing but these totals is added. */
export function countNothing(module: ModuleRef, totals: Partial<TotalDelta> = {}): ModuleCount {
  const { platform_id, module_id } = module
  const nothing = { created: 0, pushes: 0, invalidations: 0, versions: 0, version_sum: 0 }
  return { ...nothing, ...totals, platform_id, module_id }
}

/** Returns a key that both engines can store and index. */
function toStorableKey(key: string): string {
  const name = key.slice(0, MAX_KEY_LENGTH)
  return isStorableText(name) ? name : name.toWellFormed().replaceAll('\0', '\uFFFD')
}
