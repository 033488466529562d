/**
 * The reference model: what the hub must have stored, by the rules of the specification. It sees the writes in the
 * order of their commits, takes their content from what the platforms sent, and shares no code with the hub.
 */
import type { SentPush, ServedElement } from './platform.ts'
import type { ModelModule, Registry } from './registry.ts'
import {
  type Content,
  holdBack,
  isContradicted,
  type ModelEntry,
  type ModelHold,
  NAME,
  type Setting,
  valuesOf,
  type Writer,
} from './revert-model.ts'

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
  createdBy: Writer
  /** The writes that changed it. */
  history: readonly ModelEntry[]
  /** What keeps the values that reverts have taken back from coming back. */
  holds: readonly ModelHold[]
  pushPosition: number
  pushedAt: number | null
  /** When the pull that last wrote the record began. */
  pulledAt: number | null
  /** The keys of the manifest if the last write was a pull, whose bytes the hub then recognises; otherwise null. */
  pulledKeys: readonly string[] | null
  /** When each path was last set, by the clock of the platform; `""` is the whole record. */
  setAt: ReadonlyMap<string, number>
}

/** A record as a write makes it. */
type Written = Omit<ModelRecord, 'initial' | 'createdBy' | 'history' | 'holds'>

export type Outcome = 'created' | 'updated' | 'unchanged' | 'stale' | 'held'

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
  /** Records that it contained, but that stay missing, as because of a hold. */
  absent: Set<string>
  marked: number
  /** The number of records whose content had changed under an equal version. */
  contentAlone: number
}

/** A push later than a read by this time was stored while the clock was ahead. */
const AHEAD_MS = 60_000

/** Where a rejected push stands in the order of writes: a replay writes there, and overwrites nothing newer. */
export type ReplayPosition = { position: number; at: number; isHeld?: boolean }

/** What a push did. `position`: where it stands in the order of writes. */
export type Pushed = { outcome: Outcome; isHeld: boolean; position: ReplayPosition }

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
    const found = { written: new Map(), absent: new Set<string>(), marked: 0, contentAlone: 0 }
    return { ...read, ...found, position: this.#position }
  }

  /** A push is committed. @param at the time of the hub. */
  applyPush(module: ModelModule, push: SentPush, at: number): Pushed {
    const position = { position: this.advance(), at }
    const { lastRead } = module
    const merged = this.#mergePush(module, push, { ...position, lastRead })
    return { ...this.#savePush(module, push, { merged, writtenAt: at }), position }
  }

  /**
   * The replay of a rejected push is committed.
   * @param now whether a pull is reading the module, and the time of the hub.
   * @returns null if it must be rejected: the read may have found the record unchanged already, or what holds keep out of
   * the push would be lost.
   */
  applyReplay(
    module: ModelModule,
    push: SentPush,
    at: ReplayPosition,
    { isBeingRead, writtenAt }: { isBeingRead: boolean; writtenAt: number },
  ): Outcome | null {
    this.advance()
    const stored = module.records.get(push.reference_number)
    if (isBeingRead && stored?.pulledKeys && stored.missingSince === null) return null
    // A later read that was held, too, has left the record as it was.
    const isLeft = at.isHeld && stored && stored.holds.length > 0
    const lastRead = isLeft ? null : module.lastRead
    const isOlder = stored !== undefined && isSuperseded(stored, { lastRead }, at)
    const merged = isOlder ? null : this.#mergePush(module, push, { ...at, lastRead })
    if (merged && stored) {
      // Whoever replays a push that was held wants the values that the holds refuse.
      if (at.isHeld) module.records.set(push.reference_number, { ...stored, holds: [] })
      else if (holdBack(stored, merged, settingOf(stored, push)).isHeld) return null
    }
    return this.#savePush(module, push, { merged, writtenAt }).outcome
  }

  /** What a push would make of its record without holds; null if it is stale. */
  #mergePush(
    module: ModelModule,
    push: SentPush,
    { position, at, lastRead }: ReplayPosition & Pick<ModelModule, 'lastRead'>,
  ): Written | null {
    const stored = module.records.get(push.reference_number) ?? null
    if (stored && isOlderThanRead(stored, push, { lastRead, at })) return null
    const merged = merge(stored, push)
    if (merged === 'stale') return null
    return {
      ...merged,
      incomplete: push.method === 'PATCH' && (stored?.incomplete ?? true),
      missingSince: null,
      version: null,
      pushPosition: position,
      pushedAt: at,
      pulledAt: stored?.pulledAt ?? null,
      pulledKeys: null,
    }
  }

  #savePush(
    module: ModelModule,
    push: SentPush,
    { merged, writtenAt }: { merged: Written | null; writtenAt: number },
  ): { outcome: Outcome; isHeld: boolean } {
    const reference = push.reference_number
    const stored = module.records.get(reference) ?? null
    const by = { kind: 'push', at: writtenAt } as const
    const result =
      merged === null
        ? { outcome: 'stale' as const, isHeld: false }
        : this.#save({ module, reference, by }, stored, merged, settingOf(stored, push))
    const { counters } = module.platform
    counters[push.method === 'POST' ? 'received_post' : 'received_patch'] += 1
    counters[result.outcome === 'held' ? 'unchanged' : result.outcome] += 1
    module.pushes += 1
    return result
  }

  /** An element of a read is committed. Returns null for a record that the read has already written. */
  applyElement(read: ModelRead, element: ServedElement): Outcome | null {
    const { reference } = element
    if (read.written.has(reference)) return null
    const outcome = this.#applyElement(read, element)
    read.written.set(reference, outcome)
    if (read.module.records.get(reference)?.missingSince !== null) read.absent.add(reference)
    const { counters } = read.module.platform
    if (outcome !== 'unchanged' && outcome !== 'held') counters[outcome] += 1
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
    const by = { kind: 'pull', pull_id: read.pull_id } as const
    const setting = settingOfElement(data, keys)
    const { outcome, isHeld } = this.#save({ module, reference, by }, stored, next, setting)
    if (outcome === 'created' || outcome === 'updated') this.#position += 1
    const isSameVersion = version !== null && stored?.version === version
    if (isKnown && isSameVersion && outcome === 'updated' && !isHeld) read.contentAlone += 1
    return outcome
  }

  #save(
    { module, reference, by }: { module: ModelModule; reference: string; by: Writer },
    stored: ModelRecord | null,
    result: Written,
    setting: Setting,
  ): { outcome: Outcome; isHeld: boolean } {
    if (!stored) {
      const { name, data } = result
      const created = { initial: { name, data }, createdBy: by, history: [], holds: [] }
      module.records.set(reference, { ...result, ...created })
      return { outcome: 'created', isHeld: false }
    }
    const { initial, createdBy, history } = stored
    const { state, holds, isHeld } = holdBack(stored, result, setting)
    if (!isChanged(stored, state) && isHeld) {
      module.records.set(reference, { ...stored, holds })
      return { outcome: 'held', isHeld }
    }
    // The hub does not recognise bytes that it has not stored as they are.
    const bytes = isHeld ? { version: null, pulledKeys: null } : {}
    const next = { ...state, ...bytes, initial, createdBy, history, holds }
    const outcome = isChanged(stored, next) ? 'updated' : 'unchanged'
    const changed = outcome === 'updated' ? [toEntry(by, stored, next)] : []
    module.records.set(reference, { ...next, history: [...history, ...changed] })
    return { outcome, isHeld }
  }

  /** A revert of a record is committed. @param at the time of the hub. */
  applyRevert(
    { module, reference, revert_id }: { module: ModelModule; reference: string; revert_id: number },
    reverted: { content: Content; holds: readonly ModelHold[]; endsHoldsOf: number | null },
    at: number,
  ): void {
    const stored = module.records.get(reference)
    if (!stored) throw new Error(`There is no record ${reference}`)
    const { content, endsHoldsOf } = reverted
    const next = { ...stored, ...content, version: null, pulledKeys: null }
    const left = stored.holds.filter(
      (hold) => hold.revert_id !== endsHoldsOf && !isContradicted(hold, content),
    )
    module.records.set(reference, {
      ...{ ...next, pushPosition: this.advance(), pushedAt: at },
      history: [...stored.history, toEntry({ kind: 'revert', revert_id }, stored, next)],
      holds: [...left, ...reverted.holds],
    })
    module.pushes += 1
  }

  /** An operator lifts holds, or the revert of a revert does. */
  liftHolds(isOfScope: (hold: ModelHold, module: ModelModule, reference: string) => boolean): void {
    for (const module of this.registry.modules) {
      let isLifted = false
      for (const [reference, record] of module.records) {
        const holds = record.holds.filter((hold) => !isOfScope(hold, module, reference))
        if (holds.length === record.holds.length) continue
        isLifted = true
        module.records.set(reference, { ...record, holds })
      }
      // The next read of the module is unconditional.
      if (isLifted) module.pushes += 1
    }
  }

  /** Marks the records of a read as missing that it may mark. Returns their number. */
  markMissing(read: ModelRead, references: string[], pushedUntil: number): number {
    let marked = 0
    for (const reference of references) {
      const record = read.module.records.get(reference)
      if (!record || record.missingSince !== null || record.pushPosition > read.position) continue
      // How long ago a push was that was stored while the clock was ahead is unknown.
      const isAhead = record.pushedAt !== null && record.pushedAt > read.requestedAt + AHEAD_MS
      if (record.pushedAt !== null && record.pushedAt > pushedUntil && !isAhead) continue
      if (record.holds.some(({ kind }) => kind === 'absence')) continue
      const next = { ...record, version: null, missingSince: read.requestedAt }
      const by = { kind: 'pull', pull_id: read.pull_id } as const
      const history = [...record.history, toEntry(by, record, next)]
      read.module.records.set(reference, { ...next, history })
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

function toEntry(by: Writer, before: Content, after: Content): ModelEntry {
  return { by, before: valuesOf(before), after: valuesOf(after) }
}

/** Whether a pull of an element leaves a record as it is because of holds. */
export function isHeldAs(
  record: ModelRecord,
  element: { name: string; data: Data },
  keys: readonly string[],
): boolean {
  const data = afterPull(record, element.data, keys)
  const result = { name: element.name, data, incomplete: false, missingSince: null }
  const { state, isHeld } = holdBack(record, result, settingOfElement(element.data, keys))
  return isHeld && !isChanged(record, state)
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
  { lastRead, at }: Pick<ModelModule, 'lastRead'> & { at: number },
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
  { lastRead }: Pick<ModelModule, 'lastRead'>,
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

/** Returns whether a push sets a path, rather than a newer one. */
function winnerOver(
  setAt: ModelRecord['setAt'],
  occurredAt: number | null,
): (path: string) => boolean {
  return (path) => {
    const at = setAt.get(path) ?? setAt.get('')
    return occurredAt === null || at === undefined || occurredAt >= at
  }
}

/** What a push sets: a POST all paths, a PATCH those that it contains, except for what a newer push has set. */
function settingOf(
  stored: ModelRecord | null,
  { method, occurredAt, full_name, data }: SentPush,
): Setting {
  const isWhole = method === 'POST'
  const wins = winnerOver(stored?.setAt ?? new Map(), occurredAt)
  const contains = (path: string) =>
    path === NAME ? full_name !== null : data.has(path.slice('/data/'.length))
  return { isWhole, sets: (path) => (isWhole || contains(path)) && wins(path) }
}

/** What a pull sets: it leaves keys that neither the element has nor the manifest names. */
function settingOfElement(data: Data, keys: readonly string[]): Setting {
  const set = new Set([NAME, ...[...data.keys(), ...keys].map((key) => `/data/${key}`)])
  return { isWhole: true, sets: (path) => set.has(path) }
}

/** Sets what the push contains, except for what a newer push has set. */
function mergePatch(stored: ModelRecord | null, push: SentPush): Merged | 'stale' {
  const { occurredAt } = push
  const known = stored?.setAt ?? new Map<string, number>()
  const wins = winnerOver(known, occurredAt)
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
