/** What the writes of a batch have changed so far, until the engine saves it in the transaction of the batch. */
import type { NewActivity } from '../../../domain/activity/activity.ts'
import type { NewRecordState, RecordChange } from '../../../domain/record/record.ts'
import type { Hold, HoldKind } from '../../../domain/revert/hold.ts'
import { CounterDeltas, type ModuleCount } from '../counters/counter-deltas.ts'
import { DigestDeltas, digestColumns, NO_DIGEST, type SumDelta } from './digest-deltas.ts'
import type { DigestColumns, StoredRecord, WritableModule } from './write-rows.ts'

/** A record that the batch inserts or updates. */
export type SavedRecord = {
  record_id: number
  platform_id: number
  module_id: number
  record_type: string
  reference_number: string
  change_seq: number
  /** The pull that creates the record; null for a push. Only for new records. */
  created_pull_id: number | null
  /** Whether a revert of the batch has taken its creation back. */
  isTakenBack: boolean
  state: NewRecordState
  /** How it counts in the sums of its module after the batch. */
  digest: DigestColumns
}

export type TouchedRecord = Pick<SavedRecord, 'record_id' | 'state' | 'digest'>

export type NewHistoryEntry = {
  platform_id: number
  record_id: number
  change_seq: number
  source: string
  changes: RecordChange[]
  pull_id: number | null
  request_id: string | null
  revert_id: number | null
}

/** The result of a replay, stored with its rejected push. */
export type ReplayResult = {
  rejected_push_id: number
  actor: string
  outcome: string
  record_id: number
}

/** The rows that the engine saves in the transaction of the batch. */
export type BatchChanges = {
  inserted: SavedRecord[]
  updated: SavedRecord[]
  /** Records of which only bookkeeping columns have changed. No index covers these columns, except for versions. */
  touched: TouchedRecord[]
  history: NewHistoryEntry[]
  activity: NewActivity[]
  replayed: ReplayResult[]
  /** The records that reverts have changed. */
  reverted: { revert_id: number; record_id: number; creates: boolean; held: boolean }[]
  newHolds: NewHold[]
  liftedHolds: LiftedHold[]
  counters: CounterDeltas
  modules: ModuleCount[]
  sums: SumDelta[]
}

export type NewHold = Hold & { record_id: number; platform_id: number; module_id: number }

/** The holds of one record by one revert; null for all of its holds. */
export type LiftedHold = {
  record_id: number
  revert_id: number | null
  kind: HoldKind | null
}

/**
 * A record that writes of the batch refer to. Its state can only advance:
 * - loaded: neither `change_seq` nor `isTouched` is set, since every write so far was stale or changed nothing. The batch
 *   saves nothing.
 * - touched: only `isTouched` is set. The batch updates the bookkeeping columns.
 * - changed: `change_seq` is set. The batch inserts the record if it is new, and otherwise updates the whole record.
 */
export type PlannedRecord = Omit<SavedRecord, 'change_seq' | 'state'> & {
  /** The record before the batch; null if it is new. */
  stored: StoredRecord | null
  usesVersions: boolean
  /** The state after the writes so far; null for a new record until a write creates it. */
  state: NewRecordState | null
  /** The number of the last visible change of the batch; null if there is none. */
  change_seq: number | null
  /** Whether a write has changed bookkeeping columns without a visible change. */
  isTouched: boolean
}

export class BatchPlan {
  readonly history: NewHistoryEntry[] = []
  readonly activity: NewActivity[] = []
  readonly counters = new CounterDeltas()
  /** The planned records by module id and reference number. */
  readonly #records = new Map<number, Map<string, PlannedRecord>>()
  readonly reverted: BatchChanges['reverted'] = []
  readonly newHolds: NewHold[] = []
  readonly liftedHolds: LiftedHold[] = []
  readonly #replayed: ReplayResult[] = []
  readonly #replayedIds = new Set<number>()

  /** Returns the record that an earlier write of the batch planned. */
  findRecord({ module_id }: WritableModule, reference: string): PlannedRecord | undefined {
    return this.#records.get(module_id)?.get(reference)
  }

  /** Plans a record that no earlier write of the batch has planned. @param loaded `stored`: null for a new record. */
  addRecord(
    { platform_id, module_id, record_type, usesVersions }: WritableModule,
    loaded: {
      record_id: number
      reference_number: string
      stored: StoredRecord | null
      created_pull_id: number | null
    },
  ): PlannedRecord {
    const { record_id, reference_number, stored, created_pull_id } = loaded
    const record = {
      record_id,
      platform_id,
      module_id,
      record_type,
      reference_number,
      stored,
      usesVersions,
      created_pull_id,
      isTakenBack: false,
      state: stored,
      digest: stored ?? NO_DIGEST,
      change_seq: null,
      isTouched: false,
    }
    const records = this.#records.get(module_id) ?? new Map<string, PlannedRecord>()
    records.set(reference_number, record)
    this.#records.set(module_id, records)
    return record
  }

  isReplayed(rejectedPushId: number): boolean {
    return this.#replayedIds.has(rejectedPushId)
  }

  addReplay(result: ReplayResult): void {
    this.#replayedIds.add(result.rejected_push_id)
    this.#replayed.push(result)
  }

  /** Returns the changes of all writes so far. */
  changes(): BatchChanges {
    const inserted: SavedRecord[] = []
    const updated: SavedRecord[] = []
    const touched: TouchedRecord[] = []
    const deltas = new DigestDeltas()
    for (const records of this.#records.values()) {
      for (const record of records.values()) {
        countVersion(record, deltas)
        if (isChanged(record)) (record.stored ? updated : inserted).push(record)
        else if (isTouched(record)) touched.push(record)
      }
    }
    const { history, activity, reverted, newHolds, liftedHolds, counters } = this
    const sums = { modules: counters.modules(deltas.totals()), sums: deltas.rows() }
    const changed = { inserted, updated, touched, history, activity, counters, ...sums }
    return { ...changed, replayed: this.#replayed, reverted, newHolds, liftedHolds }
  }
}

/** Computes how a record counts after the batch, and adds the difference. */
function countVersion(record: PlannedRecord, deltas: DigestDeltas): void {
  const { state, stored, reference_number } = record
  if (state === null || state === stored) return
  record.digest = digestColumns({ reference_number, version: state.version }, record)
  deltas.replace(record, stored, record.digest)
}

function isChanged(record: PlannedRecord): record is PlannedRecord & SavedRecord {
  return record.state !== null && record.change_seq !== null
}

function isTouched(record: PlannedRecord): record is PlannedRecord & TouchedRecord {
  return record.state !== null && record.isTouched
}
