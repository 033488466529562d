import { describePush, describeReplay, type NewActivity } from '../../domain/activity/activity.ts'
import {
  decidePull,
  decidePush,
  isSameRead,
  type RecordState,
  type WriteDecision,
} from '../../domain/record/record.ts'
import { decideReplay } from '../../domain/record/replay.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import type {
  PullWrite,
  PushWrite,
  RecordWrite,
  ReplayWrite,
  WriteOutcome,
  WriteRejection,
} from '../port/record-store.ts'
import { WriteTally } from '../shared/counters/counter-deltas.ts'
import {
  type KnownRecord,
  type ModuleGate,
  recordLeftOf,
  type Tombstone,
} from '../shared/records/write-rows.ts'
import type { WriteGates } from './write-authorization.ts'
import type {
  HistoryLine,
  LoadedRecord,
  RecordKey,
  ReplayedLine,
  WriteStatements,
} from './write-statements.ts'

/** A record of the group: what is stored of it, and then what each write left of it. */
type PlannedRecord = {
  readonly record_id: number
  readonly platform_id: number
  readonly record_type: string
  readonly module_id: number
  readonly reference_number: string
  readonly isNew: boolean
  state: RecordState | null
  /** Of the last write that anybody sees. */
  change_seq: number | null
  isTouched: boolean
}

/** What was found for a group of writes before they are decided. */
export type FoundRecords = {
  /** Of pulled records, by read and reference; not locked. */
  known: ReadonlyMap<PullWrite['read'], ReadonlyMap<string, KnownRecord>>
  /** Of every record that may change; locked. */
  loaded: ReadonlyMap<string, LoadedRecord>
  /** Writes of records that were erased. */
  erased: ReadonlyMap<RecordWrite, Tombstone>
  /** Numbers of the write sequence, one for each write that may need one. */
  numbers: number[]
}

/** A name of a key. Their order is the one in which every node locks and makes records. */
export function nameOfKey(key: RecordKey): string {
  return `${key.platform_id}\0${key.record_type}\0${key.reference_number}`
}

/** Each key once, in the order of their names. */
export function inOrder<Key extends RecordKey>(keys: Iterable<Key>): Key[] {
  const named = new Map<string, Key>()
  for (const key of keys) named.set(nameOfKey(key), key)
  return [...named]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([, key]) => key)
}

/**
 * Decides a group of writes in memory, each on what the one before it left, so that each record is
 * sent once however many writes it had.
 */
export class WritePlan {
  readonly seen: { write: PullWrite; record_id: number }[] = []
  readonly #at: string
  /** `#at` in the form of `parseInstant`. */
  readonly #instant: string
  readonly #gates: WriteGates
  readonly #found: FoundRecords
  readonly #records = new Map<string, PlannedRecord>()
  readonly #seenHere: Set<number>
  readonly #history: HistoryLine[] = []
  readonly #activity: NewActivity[] = []
  readonly #replayed: ReplayedLine[] = []
  readonly #tally = new WriteTally()
  /** The smallest last. */
  readonly #newIds: number[]
  #taken = 0

  /**
   * @param seenBefore ids that the batch's reads have met in groups before this one.
   * @param at when the writes are made, RFC 3339 in UTC.
   */
  constructor(
    gates: WriteGates,
    found: FoundRecords,
    { seenBefore, at }: { seenBefore: Iterable<number>; at: string },
  ) {
    this.#at = at
    this.#instant = formatRfc3339(new Date(at))
    this.#gates = gates
    this.#found = found
    this.#seenHere = new Set(seenBefore)
    this.#newIds = [...found.loaded.values()]
      .flatMap((loaded) => (loaded.stored ? [] : [loaded.new_record_id]))
      .sort((one, other) => other - one)
  }

  apply(write: RecordWrite): WriteOutcome {
    if ('read' in write) return this.#applyPull(write)
    return 'replay' in write ? this.#applyReplay(write) : this.#applyPush(write)
  }

  /** Sends what is to be stored, the counters last, since other writers of this node need them too. */
  save(
    statements: WriteStatements,
    { day, node }: { day: string; node: string },
  ): Promise<unknown>[] {
    const at = this.#at
    const when = { at, day, node }
    const inserted = []
    const updated = []
    const touched = []
    for (const record of inOrder(this.#records.values())) {
      const { state: next, change_seq } = record
      if (next === null) continue
      if (change_seq === null) {
        if (record.isTouched) touched.push({ ...record, next })
      } else if (record.isNew) inserted.push({ ...record, change_seq, next })
      else updated.push({ ...record, change_seq, next })
    }
    const platforms = this.#tally.platforms()
    const modules = this.#tally.modules()
    const drifts = this.#tally.drifts()
    return [
      ...(inserted.length > 0 ? [statements.insertRecords(inserted, at)] : []),
      ...(updated.length > 0 ? [statements.updateRecords(updated, at)] : []),
      ...(touched.length > 0 ? [statements.touchRecords(touched)] : []),
      ...(this.#history.length > 0 ? [statements.appendHistory(this.#history, at)] : []),
      ...(this.#activity.length > 0 ? [statements.appendActivity(this.#activity, at)] : []),
      ...(this.#replayed.length > 0 ? [statements.markReplayed(this.#replayed, at)] : []),
      ...(platforms.length > 0 ? [statements.addHourly(platforms, when)] : []),
      ...(modules.length > 0 ? [statements.addToModules(modules, when)] : []),
      ...(drifts.length > 0 ? [statements.addDrift(drifts, when)] : []),
    ]
  }

  #applyPush(write: PushWrite): WriteOutcome {
    const platform = this.#gates.platformOfKey(write.hub_key_id)
    if (platform?.platform_id !== write.platform_id) return rejected('api_key_invalid')
    const module = this.#gates.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#found.erased.has(write)) return rejected('record_erased')
    const record = this.#recordOf(write, module)
    if (!record) throw new Error('A pushed record was not loaded')
    const seq = this.#nextNumber()
    const { lastRead } = module
    const decision = decidePush(record.state, write.content, { seq, at: this.#instant, lastRead })
    this.#note(record, write, decision, seq)
    this.#activity.push(
      describePush({
        outcome: decision.outcome,
        method: write.content.source,
        platform,
        module_name: module.module_name,
        reference_number: write.reference_number,
        record_id: record.record_id,
        request_id: write.request_id,
      }),
    )
    return this.#conclude(write, module, record.record_id, decision)
  }

  #applyReplay(write: ReplayWrite): WriteOutcome {
    const gate = this.#gates.takeRefusal(write)
    if (typeof gate === 'string') return rejected(gate)
    const module = this.#gates.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#found.erased.has(write)) return rejected('record_erased')
    const record = this.#recordOf(write, module)
    if (!record) throw new Error('A record to be replayed was not loaded')
    const now = { seq: this.#nextNumber(), at: this.#instant }
    const { lastRead, module_name } = module
    const decision = decideReplay(record.state, write.content, {
      position: gate.place,
      now,
      lastRead,
    })
    this.#note(record, write, decision, now.seq)
    const { record_id } = record
    const result = { outcome: decision.outcome, record_id, module_name }
    this.#replayed.push({ ...write.replay, ...result })
    this.#activity.push(describeReplay(write, { ...result, ...gate }))
    return this.#conclude(write, module, record_id, decision)
  }

  #applyPull(write: PullWrite): WriteOutcome {
    const { read, reference_number } = write
    const module = this.#gates.moduleOfRead(read)
    if (typeof module === 'string') return rejected(module)
    const looked = this.#found.known.get(read)?.get(reference_number)
    const tombstone = this.#found.erased.get(write)
    if (tombstone) {
      const record_id = recordLeftOf(tombstone, looked ?? null)
      if (record_id !== null) this.seen.push({ write, record_id })
      return rejected('record_erased')
    }
    const record = this.#recordOf({ ...module, reference_number }, module)
    const known = record ?? looked
    if (!known) throw new Error('A pulled record was not looked up')
    const { record_id } = known
    if (read.seen.has(record_id) || this.#seenHere.has(record_id)) {
      return { outcome: 'rejected', code: 'duplicate_reference', record_id }
    }
    let decision: WriteDecision = { outcome: 'unchanged', next: null }
    if (record) {
      decision = decidePull(record.state, write.content, read)
      const isSeen = decision.outcome === 'created' || decision.outcome === 'updated'
      this.#note(record, write, decision, isSeen ? this.#nextNumber() : 0)
    }
    this.#seenHere.add(record_id)
    this.seen.push({ write, record_id })
    return this.#conclude(write, module, record_id, decision)
  }

  #conclude(
    write: RecordWrite,
    module: ModuleGate,
    record_id: number,
    { outcome }: WriteDecision,
  ): WriteOutcome {
    this.#tally.count(write, module, outcome)
    return { outcome, record_id, module_name: module.module_name }
  }

  #note(record: PlannedRecord, write: RecordWrite, decision: WriteDecision, seq: number): void {
    if (decision.outcome === 'stale' || decision.next === null) return
    record.state = decision.next
    if (decision.outcome === 'unchanged') {
      record.isTouched = true
      return
    }
    record.change_seq = seq
    if (decision.outcome === 'created') return
    const { platform_id, record_id } = record
    this.#history.push({
      platform_id,
      record_id,
      change_seq: seq,
      source: 'replay' in write ? 'replay' : write.content.source,
      changes: decision.changes,
      pull_id: 'read' in write ? write.read.pull_id : null,
      request_id: 'read' in write ? null : write.request_id,
    })
  }

  /** Null where the record was not loaded, since a look-up has shown that it does not change. */
  #recordOf(key: RecordKey, module: ModuleGate): PlannedRecord | null {
    const name = nameOfKey(key)
    const planned = this.#records.get(name)
    if (planned) return planned
    const loaded = this.#found.loaded.get(name)
    if (!loaded) return null
    const record = {
      record_id: loaded.stored?.record_id ?? this.#nextId(),
      platform_id: module.platform_id,
      record_type: module.record_type,
      module_id: module.module_id,
      reference_number: key.reference_number,
      isNew: loaded.stored === null,
      state: loaded.stored,
      change_seq: null,
      isTouched: false,
    }
    this.#records.set(name, record)
    return record
  }

  /** In the order of the writes, as records are listed by when they were made. */
  #nextId(): number {
    const id = this.#newIds.pop()
    if (id === undefined) throw new Error('A new record has no id')
    return id
  }

  #nextNumber(): number {
    const number = this.#found.numbers[this.#taken]
    if (number === undefined) throw new Error('The write sequence gave too few numbers')
    this.#taken += 1
    return number
  }
}

/** Whether a pulled record is as it was read last, as far as a look-up tells. */
export function isKnownSame(
  known: ReadonlyMap<string, KnownRecord> | undefined,
  write: PullWrite,
): boolean {
  const record = known?.get(write.reference_number)
  return record !== undefined && isSameRead(record, write.content, write.read)
}

function rejected(code: WriteRejection): WriteOutcome {
  return { outcome: 'rejected', code }
}
