/**
 * The reference model: what the hub must have stored, by the rules of the specification. It sees the writes in the
 * order of their commits, takes their content from what the platforms sent, and shares no code with the hub.
 */
import type { SentPush, ServedElement } from './platform.ts'

export type Data = ReadonlyMap<string, string | null>

/** The expected state of a record. Times are in milliseconds, positions count commits. */
export type ModelRecord = {
  name: string
  data: Data
  incomplete: boolean
  missing: boolean
  /** Its content when it was created. */
  initial: { name: string; data: Data }
  pushPosition: number
  pushedAt: number | null
  /** When the pull that last wrote the record began. */
  pulledAt: number | null
  /** Whether the last write was a pull, whose bytes the hub recognises. */
  isAsPulled: boolean
  /** When each path was last set, by the clock of the platform; `""` is the whole record. */
  setAt: ReadonlyMap<string, number>
}

export type ModelModule = {
  platform: string
  record_type: string
  /** The keys that the manifest names. */
  keys: readonly string[]
  records: Map<string, ModelRecord>
  pushes: number
  /** The last complete read that contained all records. */
  lastRead: { position: number; requestedAt: number } | null
}

export type Outcome = 'created' | 'updated' | 'unchanged' | 'stale'

/** The read of a module by a pull. */
export type ModelRead = {
  pull_id: number
  task_number: number
  module: ModelModule
  /** The position at which it began: what was pushed later is newer. */
  position: number
  requestedAt: number
  /** The outcome of each record that was written. */
  written: Map<string, Outcome>
  marked: number
}

export type Counters = Record<
  'received_post' | 'received_patch' | 'received_pull' | Outcome,
  number
>

const NAME = '/full_name'

export class ReferenceModel {
  readonly modules: ModelModule[]
  readonly counters = new Map<string, Counters>()
  #position = 0

  constructor(modules: Pick<ModelModule, 'platform' | 'record_type' | 'keys'>[]) {
    this.modules = modules.map((one) => ({
      ...one,
      records: new Map(),
      pushes: 0,
      lastRead: null,
    }))
  }

  moduleOf(platform: string, recordType: string): ModelModule {
    const found = this.modules.find(
      (one) => one.platform === platform && one.record_type === recordType,
    )
    if (!found) throw new Error(`No module ${platform} ${recordType}`)
    return found
  }

  countersOf(platform: string): Counters {
    const none = { received_post: 0, received_patch: 0, received_pull: 0 }
    const counters = this.counters.get(platform) ?? {
      ...{ ...none, created: 0, updated: 0, unchanged: 0, stale: 0 },
    }
    this.counters.set(platform, counters)
    return counters
  }

  startRead(
    read: Pick<ModelRead, 'pull_id' | 'task_number' | 'module' | 'requestedAt'>,
  ): ModelRead {
    return { ...read, position: this.#position, written: new Map(), marked: 0 }
  }

  /** A push is committed. @param at the time of the hub. */
  applyPush(push: SentPush, at: number): Outcome {
    this.#position += 1
    const module = this.moduleOf(push.platform, push.record_type)
    const stored = module.records.get(push.reference_number) ?? null
    const outcome = this.#applyPush(module, stored, push, at)
    const counters = this.countersOf(push.platform)
    counters[push.method === 'POST' ? 'received_post' : 'received_patch'] += 1
    counters[outcome] += 1
    module.pushes += 1
    return outcome
  }

  #applyPush(module: ModelModule, stored: ModelRecord | null, push: SentPush, at: number): Outcome {
    if (stored && isOlderThanRead(stored, push, module)) return 'stale'
    const merged = push.method === 'POST' ? mergePost(stored, push) : mergePatch(stored, push)
    if (merged === 'stale') return 'stale'
    return this.#save(module, push.reference_number, stored, {
      ...merged,
      incomplete: push.method === 'PATCH' && (stored?.incomplete ?? true),
      missing: false,
      pushPosition: this.#position,
      pushedAt: at,
      pulledAt: stored?.pulledAt ?? null,
      isAsPulled: false,
    })
  }

  /** An element of a read is committed. Returns null for a record that the read has already written. */
  applyElement(read: ModelRead, element: ServedElement): Outcome | null {
    const { reference, name } = element
    if (read.written.has(reference)) return null
    const outcome = this.#applyElement(read, reference, name, element.data)
    read.written.set(reference, outcome)
    const counters = this.countersOf(read.module.platform)
    if (outcome !== 'unchanged') counters[outcome] += 1
    if (outcome === 'created' || outcome === 'updated') counters.received_pull += 1
    return outcome
  }

  #applyElement(read: ModelRead, reference: string, name: string, data: Data): Outcome {
    const { module } = read
    const stored = module.records.get(reference) ?? null
    if (stored && stored.pushPosition > read.position) return 'stale'
    const next = {
      name,
      data: afterPull(stored, data, module.keys),
      incomplete: false,
      missing: false,
      setAt: new Map<string, number>(),
      pushPosition: stored?.pushPosition ?? 0,
      pushedAt: stored?.pushedAt ?? null,
      pulledAt: read.requestedAt,
      isAsPulled: true,
    }
    if (stored?.isAsPulled && !isChanged(stored, next)) return 'unchanged'
    const outcome = this.#save(module, reference, stored, next)
    if (outcome === 'created' || outcome === 'updated') this.#position += 1
    return outcome
  }

  #save(
    module: ModelModule,
    reference: string,
    stored: ModelRecord | null,
    next: Omit<ModelRecord, 'initial'>,
  ): Outcome {
    const { name, data } = next
    module.records.set(reference, { ...next, initial: stored?.initial ?? { name, data } })
    if (!stored) return 'created'
    return isChanged(stored, next) ? 'updated' : 'unchanged'
  }

  /** Marks the records of a read as missing that it may mark. Returns their number. */
  markMissing(read: ModelRead, references: string[], pushedUntil: number): number {
    let marked = 0
    for (const reference of references) {
      const record = read.module.records.get(reference)
      if (!record || record.missing || record.pushPosition > read.position) continue
      if (record.pushedAt !== null && record.pushedAt > pushedUntil) continue
      read.module.records.set(reference, { ...record, missing: true })
      this.#position += 1
      marked += 1
    }
    read.marked += marked
    return marked
  }

  /** A read has ended successfully. @param references the records that it contained. */
  finishRead(read: ModelRead, references: ReadonlySet<string>): void {
    const { module, position, requestedAt } = read
    const present = [...module.records.values()].filter((record) => !record.missing)
    // A read proves nothing about records that it did not contain.
    if (present.length === references.size) module.lastRead = { position, requestedAt }
  }
}

/** The data of a record after a pull: keys that the manifest does not name stay. */
export function afterPull(stored: ModelRecord | null, pulled: Data, keys: readonly string[]): Data {
  const others = [...(stored?.data ?? [])].filter(([key]) => !keys.includes(key))
  return new Map([...others, ...pulled])
}

export function isSameData(one: Data, other: Data): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}

function isChanged(
  stored: ModelRecord,
  next: Pick<ModelRecord, 'name' | 'data' | 'incomplete' | 'missing'>,
): boolean {
  return (
    stored.name !== next.name ||
    stored.incomplete !== next.incomplete ||
    stored.missing !== next.missing ||
    !isSameData(stored.data, next.data)
  )
}

/** A push that occurred before the request of the pull that last read the record is stale. */
function isOlderThanRead(stored: ModelRecord, push: SentPush, { lastRead }: ModelModule): boolean {
  const { occurredAt } = push
  if (occurredAt === null || stored.pulledAt === null) return false
  if (occurredAt < stored.pulledAt) return true
  // A read that contained all records also read those that it found unchanged.
  const wasRead = lastRead !== null && !stored.missing && stored.pushPosition <= lastRead.position
  return wasRead && occurredAt < lastRead.requestedAt
}

type Merged = Pick<ModelRecord, 'name' | 'data' | 'setAt'>

/** Replaces the record, except for what a newer push has set. */
function mergePost(stored: ModelRecord | null, push: SentPush): Merged | 'stale' {
  const { occurredAt, data } = push
  const name = push.full_name ?? ''
  if (occurredAt === null) return { name, data, setAt: new Map() }
  const setAt = stored?.setAt ?? new Map<string, number>()
  const whole = setAt.get('')
  if (whole !== undefined && occurredAt < whole) return 'stale'
  const newer = [...setAt].filter(([path, at]) => path !== '' && at > occurredAt)
  const newerPaths = new Set(newer.map(([path]) => path))
  const merged = new Map<string, string | null>()
  for (const [key, value] of data) if (!newerPaths.has(`/data/${key}`)) merged.set(key, value)
  for (const [key, value] of stored?.data ?? []) {
    if (newerPaths.has(`/data/${key}`)) merged.set(key, value)
  }
  return {
    name: stored && newerPaths.has(NAME) ? stored.name : name,
    data: merged,
    setAt: new Map([...newer, ['', occurredAt]]),
  }
}

/** Sets what the push contains, except for what a newer push has set. */
function mergePatch(stored: ModelRecord | null, push: SentPush): Merged | 'stale' {
  const { occurredAt } = push
  const known = stored?.setAt ?? new Map<string, number>()
  const wins = (path: string) => {
    const at = known.get(path) ?? known.get('')
    return occurredAt === null || at === undefined || occurredAt >= at
  }
  const keys = [...push.data].filter(([key]) => wins(`/data/${key}`))
  const setsName = push.full_name !== null && wins(NAME)
  const isEmpty = push.full_name === null && push.data.size === 0
  if (stored && !isEmpty && keys.length === 0 && !setsName) return 'stale'
  const setAt = new Map(known)
  const paths = keys.map(([key]) => `/data/${key}`)
  if (setsName) paths.push(NAME)
  for (const path of paths) {
    if (occurredAt === null) setAt.delete(path)
    else setAt.set(path, occurredAt)
  }
  return {
    name: setsName ? (push.full_name ?? '') : (stored?.name ?? ''),
    data: new Map([...(stored?.data ?? []), ...keys]),
    setAt,
  }
}
