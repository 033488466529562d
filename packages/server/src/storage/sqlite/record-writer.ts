/**
 * The write path on SQLite: a batch of writes in one transaction on the writing connection, with
 * prepared statements and without an await, so that nothing can come in between.
 */
import { describePush, describeReplay } from '../../domain/activity/activity.ts'
import type { HashReference } from '../../domain/record/erasure.ts'
import {
  decidePull,
  decidePush,
  isSameRead,
  type WriteDecision,
} from '../../domain/record/record.ts'
import { decideReplay } from '../../domain/record/replay.ts'
import { formatRfc3339 } from '../../lib/time/rfc3339.ts'
import type {
  PullWrite,
  PushWrite,
  RecordStore,
  RecordWrite,
  ReplayWrite,
  WriteBatch,
  WriteOutcome,
  WriteRejection,
} from '../port/record-store.ts'
import { WriteTally } from '../shared/counters/counter-deltas.ts'
import {
  type ModuleGate,
  recordLeftOf,
  type StoredRecord,
  type Tombstone,
} from '../shared/records/write-rows.ts'
import type { SqliteConnections } from './connection.ts'
import { isRefusedRow } from './map-error.ts'
import { openWriteGates, type WriteGates } from './write-authorization.ts'
import { prepareWriteStatements, type WriteStatements } from './write-statements.ts'

export function createRecordWriter(
  connections: SqliteConnections,
  node: string,
  hashReference: HashReference,
): Pick<RecordStore, 'applyWrites' | 'tryWrites'> {
  const { database } = connections
  const statements = prepareWriteStatements(database)

  function applyInOneTransaction(
    batch: WriteBatch,
    { end, isolate }: { end: 'COMMIT' | 'ROLLBACK'; isolate: boolean },
  ): WriteOutcome[] {
    database.exec('BEGIN IMMEDIATE')
    try {
      const transaction = new WriteTransaction(statements, batch, hashReference)
      const outcomes = batch.writes.map((write) =>
        isolate ? applyAlone(transaction, write) : transaction.apply(write),
      )
      transaction.save(node)
      database.exec(end)
      if (end === 'COMMIT') transaction.noteSeen()
      return outcomes
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  function applyAlone(transaction: WriteTransaction, write: RecordWrite): WriteOutcome {
    database.exec('SAVEPOINT one_write')
    try {
      const outcome = transaction.apply(write)
      database.exec('RELEASE one_write')
      return outcome
    } catch (error) {
      if (!isRefusedRow(error)) throw error
      database.exec('ROLLBACK TO one_write')
      database.exec('RELEASE one_write')
      return rejected('record_not_storable')
    }
  }

  function apply(batch: WriteBatch, end: 'COMMIT' | 'ROLLBACK'): Promise<WriteOutcome[]> {
    return connections.exclusively(() => {
      try {
        return applyInOneTransaction(batch, { end, isolate: false })
      } catch (error) {
        if (!isRefusedRow(error)) throw error
        // Savepoints cost, so they are taken only once a row has been refused.
        return applyInOneTransaction(batch, { end, isolate: true })
      }
    })
  }

  return {
    applyWrites: (batch) => apply(batch, 'COMMIT'),
    tryWrites: (batch) => apply(batch, 'ROLLBACK'),
  }
}

class WriteTransaction {
  readonly #statements: WriteStatements
  readonly #batch: WriteBatch
  /** When the writes are made, in the form of `parseInstant`. */
  readonly #instant: string
  readonly #gates: WriteGates
  readonly #hashReference: HashReference
  readonly #tally = new WriteTally()
  readonly #seen: { write: PullWrite; record_id: number }[] = []
  readonly #seenHere = new Set<number>()
  readonly #firstSeq: number
  #seq: number

  constructor(statements: WriteStatements, batch: WriteBatch, hashReference: HashReference) {
    this.#hashReference = hashReference
    this.#statements = statements
    this.#batch = batch
    this.#instant = formatRfc3339(new Date(batch.at))
    this.#gates = openWriteGates(statements, batch.at)
    this.#seq = statements.readSequence()
    this.#firstSeq = this.#seq
  }

  apply(write: RecordWrite): WriteOutcome {
    if ('read' in write) return this.#applyPull(write)
    return 'replay' in write ? this.#applyReplay(write) : this.#applyPush(write)
  }

  /** Writes what was gathered over the batch. */
  save(node: string): void {
    if (this.#seq !== this.#firstSeq) this.#statements.saveSequence(this.#seq)
    const when = { at: this.#batch.at, day: this.#batch.day, node }
    for (const key of this.#gates.keysToNote) this.#statements.noteKeyUse(key, when.at)
    for (const counts of this.#tally.platforms()) this.#statements.addHourly(counts, when)
    for (const count of this.#tally.modules()) this.#statements.addToModule(count, when)
    for (const drift of this.#tally.drifts()) this.#statements.addDrift(drift, when)
  }

  /** After the commit only: what was rolled back was not met. */
  noteSeen(): void {
    for (const { write, record_id } of this.#seen) write.read.seen.add(record_id)
  }

  #applyPush(write: PushWrite): WriteOutcome {
    const platform = this.#gates.platformOfKey(write.hub_key_id)
    if (platform?.platform_id !== write.platform_id) return rejected('api_key_invalid')
    const module = this.#gates.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#findTombstone(module, write)) return rejected('record_erased')
    const stored = this.#statements.load(module, write.reference_number)
    const seq = this.#seq + 1
    const { lastRead } = module
    const decision = decidePush(stored, write.content, { seq, at: this.#instant, lastRead })
    this.#seq = seq
    const record_id = this.#store(write, module, stored, decision)
    this.#statements.appendActivity(
      this.#batch.at,
      describePush({
        outcome: decision.outcome,
        method: write.content.source,
        platform,
        module_name: module.module_name,
        reference_number: write.reference_number,
        record_id,
        request_id: write.request_id,
      }),
    )
    this.#tally.count(write, module, decision.outcome)
    return { outcome: decision.outcome, record_id, module_name: module.module_name }
  }

  #applyReplay(write: ReplayWrite): WriteOutcome {
    const gate = this.#statements.findRefusal(write)
    if (typeof gate === 'string') return rejected(gate)
    const module = this.#gates.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#findTombstone(module, write)) return rejected('record_erased')
    const { at } = this.#batch
    const { lastRead, module_name } = module
    const stored = this.#statements.load(module, write.reference_number)
    this.#seq += 1
    const now = { seq: this.#seq, at: this.#instant }
    const decision = decideReplay(stored, write.content, { position: gate.place, now, lastRead })
    const record_id = this.#store(write, module, stored, decision)
    const result = { outcome: decision.outcome, record_id, module_name }
    this.#statements.markReplayed(write, result, at)
    this.#statements.appendActivity(at, describeReplay(write, { ...result, ...gate }))
    this.#tally.count(write, module, decision.outcome)
    return result
  }

  #applyPull(write: PullWrite): WriteOutcome {
    const { read } = write
    const gate = this.#gates.moduleOfRead(read)
    if (typeof gate === 'string') return rejected(gate)
    const known = this.#statements.lookUp(gate, write.reference_number)
    const isSame = known !== null && isSameRead(known, write.content, read)
    const tombstone = isSame ? null : this.#findTombstone(gate, write)
    if (tombstone) {
      const record_id = recordLeftOf(tombstone, known)
      if (record_id !== null) this.#seen.push({ write, record_id })
      return rejected('record_erased')
    }
    if (known && (read.seen.has(known.record_id) || this.#seenHere.has(known.record_id))) {
      return { outcome: 'rejected', code: 'duplicate_reference', record_id: known.record_id }
    }
    const stored = known && !isSame ? this.#statements.load(gate, write.reference_number) : null
    const decision: WriteDecision = isSame
      ? { outcome: 'unchanged', next: null }
      : decidePull(stored, write.content, read)
    if (decision.outcome === 'created' || decision.outcome === 'updated') this.#seq += 1
    const record_id = this.#store(write, gate, stored ?? known, decision)
    this.#seenHere.add(record_id)
    this.#seen.push({ write, record_id })
    this.#tally.count(write, gate, decision.outcome)
    return { outcome: decision.outcome, record_id, module_name: gate.module_name }
  }

  #findTombstone(module: ModuleGate, { reference_number }: RecordWrite): Tombstone | null {
    if (!module.hasTombstones) return null
    return this.#statements.findTombstone(this.#hashReference({ ...module, reference_number }))
  }

  #store(
    write: RecordWrite,
    module: ModuleGate,
    stored: Pick<StoredRecord, 'record_id'> | null,
    decision: WriteDecision,
  ): number {
    const at = this.#batch.at
    if (decision.outcome === 'created') {
      return this.#statements.insert(module, write.reference_number, decision, this.#seq, at)
    }
    if (!stored) throw new Error('A record that is not there can only be created')
    if (decision.outcome === 'updated') {
      this.#statements.update(stored.record_id, decision, this.#seq, at)
      this.#statements.appendHistory({
        platform_id: module.platform_id,
        record_id: stored.record_id,
        change_seq: this.#seq,
        at,
        source: 'replay' in write ? 'replay' : write.content.source,
        changes: decision.changes,
        pull_id: 'read' in write ? write.read.pull_id : null,
        request_id: 'read' in write ? null : write.request_id,
      })
    }
    if (decision.outcome === 'unchanged' && decision.next) {
      this.#statements.touch(stored.record_id, decision.next)
    }
    return stored.record_id
  }
}

function rejected(code: WriteRejection): WriteOutcome {
  return { outcome: 'rejected', code }
}
