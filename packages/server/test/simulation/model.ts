/**
 * The reference model: what the hub must have stored, by the rules of the specification. It sees the writes in the
 * order of their commits, takes their content from what the platforms sent, and shares no code with the hub.
 */
import type { SentPush, ServedElement } from './platform.ts'
import type { ModelModule, Registry } from './registry.ts'

export type Data = ReadonlyMap<string, string | null>

/** The expected state of a record. Times are in milliseconds, positions count commits. */
export type ModelRecord = {
  name: string
  data: Data
  incomplete: boolean
  /** The version of the bytes that a pull read; null after any other write, and without one. */
  version: string | null
  /** When the read began that did not contain it; null if it is not missing. */
  missingSince: number | null
  /** Its content when it was created. */
  initial: { name: string; data: Data }
  pushPosition: number
  pushedAt: number | null
  /** When the pull that last wrote the record began. */
  pulledAt: number | null
  /** The keys of the manifest if the last write was a pull, whose bytes the hub then recognises; otherwise null. */
  pulledKeys: readonly string[] | null
  /** When each path was last set, by the clock of the platform; `""` is the whole record. */
  setAt: ReadonlyMap<string, number>
}

export type Outcome = 'created' | 'updated' | 'unchanged' | 'stale'

/** The read of a module by a pull. */
export type ModelRead = {
  pull_id: number
  task_number: number
  module: ModelModule
  /** The keys that the manifest named when the pull began. */
  keys: readonly string[]
  /** The position at which it began: what was pushed later is newer. */
  position: number
  requestedAt: number
  /** The outcome of each record that was written. */
  written: Map<string, Outcome>
  marked: number
}

const NAME = '/full_name'

/** Where a rejected push stands in the order of writes: a replay writes there, and overwrites nothing newer. */
export type ReplayPosition = { position: number; at: number }

export class ReferenceModel {
  readonly registry: Registry
  #position = 0

  constructor(registry: Registry) {
    this.registry = registry
  }

  /** The position of something that is committed now. */
  advance(): number {
    this.#position += 1
    return this.#position
  }

  startRead(
    read: Pick<ModelRead, 'pull_id' | 'task_number' | 'module' | 'keys' | 'requestedAt'>,
  ): ModelRead {
    return { ...read, position: this.#position, written: new Map(), marked: 0 }
  }

  /** A push is committed. @param at the time of the hub. */
  applyPush(module: ModelModule, push: SentPush, at: number): Outcome {
    return this.#applyPush(module, push, { position: this.advance(), at })
  }

  /**
   * The replay of a rejected push is committed.
   * @param isBeingRead whether a pull is reading the module.
   * @returns null if it must be rejected: the read may have found the record unchanged already.
   */
  applyReplay(
    module: ModelModule,
    push: SentPush,
    at: ReplayPosition,
    isBeingRead: boolean,
  ): Outcome | null {
    this.advance()
    const stored = module.records.get(push.reference_number)
    if (isBeingRead && stored?.pulledKeys && stored.missingSince === null) return null
    return this.#applyPush(module, push, at, (stored) => isSuperseded(stored, module, at))
  }

  #applyPush(
    module: ModelModule,
    push: SentPush,
    { position, at }: ReplayPosition,
    isSuperseded: (stored: ModelRecord) => boolean = () => false,
  ): Outcome {
    const stored = module.records.get(push.reference_number) ?? null
    const isStale =
      stored && (isSuperseded(stored) || isOlderThanRead(stored, push, { module, at }))
    const merged = isStale ? 'stale' : merge(stored, push)
    const outcome =
      merged === 'stale'
        ? 'stale'
        : this.#save(module, push.reference_number, stored, {
            ...merged,
            incomplete: push.method === 'PATCH' && (stored?.incomplete ?? true),
            missingSince: null,
            version: null,
            pushPosition: position,
            pushedAt: at,
            pulledAt: stored?.pulledAt ?? null,
            pulledKeys: null,
          })
    const { counters } = module.platform
    counters[push.method === 'POST' ? 'received_post' : 'received_patch'] += 1
    counters[outcome] += 1
    module.pushes += 1
    return outcome
  }

  /** An element of a read is committed. Returns null for a record that the read has already written. */
  applyElement(read: ModelRead, element: ServedElement): Outcome | null {
    const { reference } = element
    if (read.written.has(reference)) return null
    const outcome = this.#applyElement(read, element)
    read.written.set(reference, outcome)
    const { counters } = read.module.platform
    if (outcome !== 'unchanged') counters[outcome] += 1
    if (outcome === 'created' || outcome === 'updated') counters.received_pull += 1
    return outcome
  }

  #applyElement(read: ModelRead, { reference, name, data, version }: ServedElement): Outcome {
    const { module, keys } = read
    const stored = module.records.get(reference) ?? null
    if (stored && stored.pushPosition > read.position) return 'stale'
    const next = {
      name,
      data: afterPull(stored, data, keys),
      incomplete: false,
      missingSince: null,
      version,
      setAt: new Map<string, number>(),
      pushPosition: stored?.pushPosition ?? 0,
      pushedAt: stored?.pushedAt ?? null,
      pulledAt: read.requestedAt,
      pulledKeys: keys,
    }
    const isKnown = stored?.pulledKeys && isSameKeys(stored.pulledKeys, keys)
    const isSame = isKnown && stored.version === version && !isChanged(stored, next)
    if (isSame) return 'unchanged'
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
      if (!record || record.missingSince !== null || record.pushPosition > read.position) continue
      if (record.pushedAt !== null && record.pushedAt > pushedUntil) continue
      read.module.records.set(reference, {
        ...record,
        version: null,
        missingSince: read.requestedAt,
      })
      this.#position += 1
      marked += 1
    }
    read.marked += marked
    return marked
  }

  /** A read has ended successfully. @param references the records that it contained. */
  finishRead(read: ModelRead, references: ReadonlySet<string>): void {
    const records = [...read.module.records.values()]
    const present = records.filter(({ missingSince }) => missingSince === null)
    // A read proves nothing about records that it did not contain.
    if (present.length === references.size) this.setLastRead(read)
  }

  setLastRead({ module, position, requestedAt }: ModelRead): void {
    module.lastRead = { position, requestedAt }
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
  next: Pick<ModelRecord, 'name' | 'data' | 'incomplete' | 'missingSince'>,
): boolean {
  return (
    stored.name !== next.name ||
    stored.incomplete !== next.incomplete ||
    (stored.missingSince === null) !== (next.missingSince === null) ||
    !isSameData(stored.data, next.data)
  )
}

/**
 * A push that occurred before the request of the pull that last read the record is stale. A request in the future, because
 * the clock was set back since, does not count.
 */
function isOlderThanRead(
  stored: ModelRecord,
  { occurredAt }: SentPush,
  { module: { lastRead }, at }: { module: ModelModule; at: number },
): boolean {
  if (occurredAt === null || stored.pulledAt === null) return false
  const isOlderThan = (requestedAt: number) => occurredAt < requestedAt && requestedAt <= at
  if (isOlderThan(stored.pulledAt)) return true
  // A read that contained all records also read those that it found unchanged.
  const wasRead =
    lastRead !== null && stored.missingSince === null && stored.pushPosition <= lastRead.position
  return wasRead && isOlderThan(lastRead.requestedAt)
}

/** Whether a push or read after the position has written the record or found it missing. */
function isSuperseded(
  stored: ModelRecord,
  { lastRead }: ModelModule,
  { position, at }: ReplayPosition,
): boolean {
  if (stored.pushPosition > position) return true
  if (stored.missingSince !== null && stored.missingSince >= at) return true
  if (stored.pulledAt === null) return false
  return stored.pulledAt >= at || (lastRead !== null && lastRead.position >= position)
}

function isSameKeys(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key))
}

type Merged = Pick<ModelRecord, 'name' | 'data' | 'setAt'>

function merge(stored: ModelRecord | null, push: SentPush): Merged | 'stale' {
  return push.method === 'POST' ? mergePost(stored, push) : mergePatch(stored, push)
}

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
