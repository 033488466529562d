/**
 * Applies a batch of writes in memory, for every engine. The engine opens a transaction, creates a {@link BatchSource}
 * that reads rows in it, passes the writes to the applier in their order, saves the {@link BatchChanges}, and commits.
 * Each write is decided on the state that the previous ones left, and each record is saved once, however many writes of
 * the batch change it.
 */
import { describePush, describeReplay } from '../../../domain/activity/activity.ts'
import { isUnchanged } from '../../../domain/pull/unchanged.ts'
import { withText } from '../../../domain/record/json-text.ts'
import {
  addsTooManyKeys,
  decidePull,
  decidePush,
  isOfValue,
  type NewRecordState,
  type RecordChange,
} from '../../../domain/record/record.ts'
import { decideReplay } from '../../../domain/record/replay.ts'
import { findChangedAlone } from '../../../domain/record/version.ts'
import type { HeldDecision } from '../../../domain/revert/hold-back.ts'
import { formatRfc3339 } from '../../../lib/time/rfc3339.ts'
import type {
  PullWrite,
  PushWrite,
  RecordRead,
  RecordWrite,
  ReplayWrite,
  RevertWrite,
  WriteBatch,
  WriteOutcome,
  WriteRejection,
} from '../../port/record-store.ts'
import {
  type BatchChanges,
  BatchPlan,
  type NewHistoryEntry,
  type PlannedRecord,
} from './batch-changes.ts'
import { BatchHolds, type FindHolds } from './batch-holds.ts'
import {
  findSurvivor,
  type KeyPlatform,
  type KnownRecord,
  type ReplayableRejection,
  type StoredRecord,
  type Tombstone,
  type WritableModule,
} from './write-rows.ts'

/** The rows that decide whether a write is allowed, read in the transaction of its batch. */
export type WriteAuthorization = {
  /** The active platform of a hub key that is neither revoked nor expired. */
  platformOfKey: (hubKeyId: number) => KeyPlatform | null
  registeredModule: (platformId: number, recordType: string) => WritableModule | null
  /** The registered module that a running pull reads, or the reason why the pull must not write to it. */
  moduleOfRead: (read: RecordRead) => WritableModule | WriteRejection
  /** The rejected push or record that is replayed, or the reason why it must not be replayed. */
  rejectionOf: (write: ReplayWrite) => ReplayableRejection | WriteRejection
  /** The hub keys of the batch whose stored time of last use is outdated. */
  outdatedKeys: readonly number[]
  /** Whether the revert is running, by the process that made the write. */
  isReverting: (revert: RevertWrite['revert']) => boolean
}

/** Reads rows and allocates numbers within the transaction of a batch. */
export type BatchSource = {
  authorization: WriteAuthorization
  findTombstone: (write: RecordWrite, module: WritableModule) => Tombstone | null
  /** Returns the columns that decide whether a pulled record is unchanged. Does not lock the record. */
  peekRecord: (write: PullWrite, module: WritableModule) => KnownRecord | null
  /**
   * Returns the whole record. No other transaction changes it before this one ends.
   * @param peeked the result of `peekRecord`, for pulled records.
   */
  loadRecord: (
    module: WritableModule,
    reference: string,
    peeked?: KnownRecord | null,
  ) => StoredRecord | null
  findHolds: FindHolds
  /** Returns an id for a new record; the ids of a batch rise. */
  allocateRecordId: () => number
  /** Returns a number of the write sequence, higher than the numbers of every loaded record. */
  allocateSequence: () => number
}

/** A record that a read contained. Its id is added to the read's `seen` after the commit. */
export type SeenRecord = { read: RecordRead; record_id: number; isMissing: boolean }

export class BatchApplier {
  readonly seen: SeenRecord[] = []
  readonly #source: BatchSource
  /** The time of the writes, in the form of `parseRfc3339`. */
  readonly #at: string
  readonly #maxRecordKeys: number
  readonly #seenIds: Set<number>
  readonly #plan = new BatchPlan()
  readonly #holds: BatchHolds

  /**
   * @param at the time of the writes, RFC 3339 in UTC.
   * @param seenBefore records that other appliers of the same transaction have seen.
   */
  constructor(
    source: BatchSource,
    options: Pick<WriteBatch, 'at' | 'maxRecordKeys'> & { seenBefore?: readonly SeenRecord[] },
  ) {
    const { at, maxRecordKeys, seenBefore = [] } = options
    this.#source = source
    this.#holds = new BatchHolds(source.findHolds, this.#plan)
    this.#at = formatRfc3339(new Date(at))
    this.#maxRecordKeys = maxRecordKeys
    this.#seenIds = new Set(seenBefore.map(({ record_id }) => record_id))
  }

  /** Decides a write on the state that the previous ones left. */
  apply(write: RecordWrite): WriteOutcome {
    if ('read' in write) return this.#applyPull(write)
    if ('revert' in write) return this.#applyRevert(write)
    return 'replay' in write ? this.#applyReplay(write) : this.#applyPush(write)
  }

  /** Returns the changes of all writes applied so far. */
  changes(): BatchChanges {
    return this.#plan.changes()
  }

  #applyPush(write: PushWrite): WriteOutcome {
    const { authorization } = this.#source
    const platform = authorization.platformOfKey(write.hub_key_id)
    if (platform?.platform_id !== write.platform_id) return rejected('api_key_invalid')
    const module = authorization.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#source.findTombstone(write, module)) return rejected('record_erased')
    const record = this.#planRecord(module, write.reference_number)
    const seq = this.#source.allocateSequence()
    const { lastRead } = module
    const unheld = decidePush(record.state, write.content, { seq, at: this.#at, lastRead })
    const { decision, isHeld, lift } = this.#holds.holdBack(write, module, record, unheld)
    const result = this.#addDecision(write, module, record, decision, seq)
    if (result.outcome === 'rejected') return result
    lift()
    this.#plan.activity.push(
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
    return isHeld ? { ...result, is_held: true, position: { seq, at: this.#at } } : result
  }

  #applyReplay(write: ReplayWrite): WriteOutcome {
    const { authorization } = this.#source
    const { rejected_push_id, actor, names_other = false } = write.replay
    if (this.#plan.isReplayed(rejected_push_id)) return rejected('already_replayed')
    const rejection = authorization.rejectionOf(write)
    if (typeof rejection === 'string') return rejected(rejection)
    const module = authorization.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#source.findTombstone(write, module)) return rejected('record_erased')
    const record = this.#planRecord(module, write.reference_number)
    const { position, modulesBeingRead } = rejection
    const isHeld = rejection.isHeld && !names_other
    const isBeingRead = position !== null && modulesBeingRead.has(module.module_id)
    if (isBeingRead && isKnownToReads(record.state)) return rejected('module_being_pulled')
    const now = { seq: this.#source.allocateSequence(), at: this.#at }
    // A later read that was held, too, has left the record as it was before the push.
    const isLeft = isHeld && this.#holds.hasHolds(module, record)
    const lastRead = isLeft ? null : module.lastRead
    const decision = decideReplay(record.state, write.content, { position, now, lastRead })
    // Only the operator who replays a held push knows what the holds keep out.
    const held = isHeld ? null : this.#holds.holdBack(write, module, record, decision)
    if (held?.isHeld) return rejected('held')
    const applied = held?.decision ?? decision
    const result = this.#addDecision(write, module, record, applied, now.seq)
    if (result.outcome === 'rejected') return result
    if (held) held.lift()
    else if (decision.outcome !== 'stale') this.#holds.liftAll(module, record)
    const { outcome, record_id } = result
    this.#plan.addReplay({ rejected_push_id, actor, outcome, record_id })
    this.#plan.activity.push(describeReplay(write, { ...result, ...rejection }))
    if (decision.outcome !== 'updated') return result
    return { ...result, changed_values: decision.changes.filter(isOfValue).length }
  }

  #applyPull(write: PullWrite): WriteOutcome {
    const { read, reference_number } = write
    const module = this.#source.authorization.moduleOfRead(read)
    if (typeof module === 'string') return rejected(module)
    const known = this.#peek(write, module)
    if (known && isUnchanged(known, write.content, read)) {
      const { record_id } = known
      if (!this.#addSeen(read, record_id)) return duplicate(record_id)
      this.#plan.counters.count(write, module, 'unchanged')
      return { outcome: 'unchanged', record_id, module_name: module.module_name }
    }
    const tombstone = this.#source.findTombstone(write, module)
    if (tombstone) {
      const survivor = findSurvivor(tombstone, known)
      if (survivor) {
        const { record_id, missing_since } = survivor
        this.seen.push({ read, record_id, isMissing: missing_since !== null })
      }
      return rejected('record_erased')
    }
    const record = this.#planRecord(module, reference_number, { peeked: known, read })
    const { record_id } = record
    if (this.#isSeen(read, record_id)) return duplicate(record_id)
    const unheld = decidePull(record.state, write.content, read)
    const { decision, isHeld, lift } = this.#holds.holdBack(write, module, record, unheld)
    const next = ('next' in decision && decision.next) || record.state
    // A record that remains missing is in a set of its own, since the size of the other one is compared with counts.
    this.#addSeen(read, record_id, next !== null && next.missing_since !== null)
    const isChange = decision.outcome === 'created' || decision.outcome === 'updated'
    const seq = isChange ? this.#source.allocateSequence() : 0
    const changed_alone = isHeld ? null : findChangedAlone(record.state, write.content, unheld)
    const result = this.#addDecision(write, module, record, decision, seq)
    if (result.outcome === 'rejected') return result
    lift()
    if (isHeld) return { ...result, is_held: true }
    return changed_alone ? { ...result, changed_alone } : result
  }

  /** Records that the read contains a record. Returns false if the read has already contained it. */
  #addSeen(read: RecordRead, record_id: number, isMissing = false): boolean {
    if (this.#isSeen(read, record_id)) return false
    this.#seenIds.add(record_id)
    this.seen.push({ read, record_id, isMissing })
    return true
  }

  #isSeen(read: RecordRead, record_id: number): boolean {
    return (
      read.seen.has(record_id) || read.stillMissing.has(record_id) || this.#seenIds.has(record_id)
    )
  }

  /** Applies the values that a revert restores, unless the record has changed since they were decided. */
  #applyRevert(write: RevertWrite): WriteOutcome {
    const { revert, content } = write
    const { authorization } = this.#source
    if (!authorization.isReverting(revert)) return rejected('revert_not_running')
    const module = authorization.registeredModule(write.platform_id, write.record_type)
    if (!module) return rejected('module_not_registered')
    if (this.#source.findTombstone(write, module)) return rejected('record_erased')
    const record = this.#planRecord(module, write.reference_number)
    const { state, stored, record_id } = record
    const isCurrent = stored?.change_seq === revert.change_seq && record.change_seq === null
    if (!state || !isCurrent) return rejected('record_changed')
    const seq = this.#source.allocateSequence()
    const { source: _, changes, ...values } = content
    const pushed = { fingerprint: null, version: null, pushed_seq: seq, pushed_at: this.#at }
    const next = { ...withText(state), ...values, ...pushed }
    const { revert_id, creates, ends_holds_of } = revert
    const { module_id, platform_id } = record
    this.#holds.liftContradicted(module, record, next)
    if (ends_holds_of !== null) {
      this.#plan.liftedHolds.push({ record_id, revert_id: ends_holds_of, kind: null })
    }
    for (const refused of revert.refused) {
      this.#plan.newHolds.push({ ...refused, record_id, revert_id, platform_id, module_id })
    }
    const held = revert.refused.length > 0
    this.#plan.reverted.push({ revert_id, record_id, creates, held })
    if (creates) record.isTakenBack = true
    return this.#addDecision(write, module, record, { outcome: 'updated', next, changes }, seq)
  }

  /** Adds a decision to its record, the history and the counters, unless the record would have too many keys. */
  #addDecision(
    write: RecordWrite,
    module: WritableModule,
    record: PlannedRecord,
    decision: HeldDecision,
    seq: number,
  ) {
    const { record_id } = record
    const result = { outcome: decision.outcome, record_id, module_name: module.module_name }
    switch (decision.outcome) {
      case 'created':
        record.state = decision.next
        record.change_seq = seq
        break
      case 'updated':
        if (addsTooManyKeys(write.content, decision.next, this.#maxRecordKeys)) {
          return rejected('too_many_keys')
        }
        record.state = decision.next
        record.change_seq = seq
        this.#plan.history.push(historyEntry(write, record, decision.changes, seq))
        break
      case 'unchanged':
        if (decision.next) {
          record.state = decision.next
          record.isTouched = true
        }
        break
      case 'stale':
      case 'held':
        break
    }
    const { outcome } = result
    this.#plan.counters.count(write, module, outcome === 'held' ? 'unchanged' : outcome)
    return 'newer' in decision ? { ...result, newer: decision.newer } : result
  }

  /** Returns the columns of a pulled record as earlier writes of the batch left them, or as they are stored. */
  #peek(write: PullWrite, module: WritableModule): KnownRecord | null {
    const planned = this.#plan.findRecord(module, write.reference_number)
    if (!planned?.state) return this.#source.peekRecord(write, module)
    return { ...planned.state, record_id: planned.record_id }
  }

  /** Returns the planned record of an earlier write of the batch; otherwise loads the record and plans it. */
  #planRecord(
    module: WritableModule,
    reference_number: string,
    pulled?: { peeked: KnownRecord | null; read: RecordRead },
  ): PlannedRecord {
    const planned = this.#plan.findRecord(module, reference_number)
    if (planned) return planned
    const stored = this.#source.loadRecord(module, reference_number, pulled?.peeked)
    const record_id = stored?.record_id ?? this.#source.allocateRecordId()
    const created_pull_id = pulled?.read.pull_id ?? null
    return this.#plan.addRecord(module, { record_id, reference_number, stored, created_pull_id })
  }
}

/** Marks records as seen by their reads. Call it only after the commit: a rolled-back write was not seen. */
export function markSeen(seen: readonly SeenRecord[]): void {
  for (const { read, record_id, isMissing } of seen) {
    const ids = isMissing ? read.stillMissing : read.seen
    ids.add(record_id)
  }
}

/** Whether a read that contains the same bytes leaves the record as it is, without a write. */
function isKnownToReads(state: NewRecordState | null): boolean {
  return state !== null && state.fingerprint !== null && state.missing_since === null
}

function duplicate(record_id: number): WriteOutcome {
  return { outcome: 'rejected', code: 'duplicate_reference', record_id }
}

function rejected(code: WriteRejection) {
  return { outcome: 'rejected' as const, code }
}

function historyEntry(
  write: RecordWrite,
  { platform_id, record_id }: PlannedRecord,
  changes: RecordChange[],
  change_seq: number,
): NewHistoryEntry {
  return {
    platform_id,
    record_id,
    change_seq,
    source: 'replay' in write ? 'replay' : write.content.source,
    changes,
    pull_id: 'read' in write ? write.read.pull_id : null,
    request_id: 'request_id' in write ? write.request_id : null,
    revert_id: 'revert' in write ? write.revert.revert_id : null,
  }
}
