/** A model of the record store: applies the decisions of the domain in memory. */

import { withText } from '../../../src/domain/record/json-text.ts'
import {
  decidePull,
  decidePush,
  type LastRead,
  type RecordState,
  type WriteDecision,
} from '../../../src/domain/record/record.ts'
import type { PullWrite, PushWrite, RecordRead } from '../../../src/storage/port/record-store.ts'

export type ModelWrite = PushWrite | PullWrite

type ModelRecord = {
  state: RecordState
  /** Newest first. */
  history: { source: string; changes: string }[]
}

export class RecordModel {
  readonly records = new Map<string, ModelRecord>()
  readonly counts = { received: 0, created: 0, updated: 0 }
  readonly #lastReads = new Map<string, LastRead>()
  readonly #reads = new Map<
    RecordRead,
    { recordType: string; snapshotSeq: number; seen: Set<string> }
  >()
  #seq = 0

  beginRead(recordType: string, read: RecordRead): void {
    this.#reads.set(read, { recordType, snapshotSeq: this.#seq, seen: new Set() })
  }

  finishRead(recordType: string, read: RecordRead): void {
    const { snapshotSeq, seen } = this.#known(read)
    const stored = [...this.records.keys()].filter((key) => key.startsWith(`${recordType} `))
    // A read that did not contain all records affects only those that it wrote.
    if (stored.length !== seen.size) return
    this.#lastReads.set(recordType, { snapshotSeq, requested_at: read.requested_at })
  }

  /** The key of the record of a write. */
  keyOf(write: ModelWrite): string {
    const type = 'read' in write ? this.#known(write.read).recordType : write.record_type
    return `${type} ${write.reference_number}`
  }

  /** @returns the expected outcome of the write. */
  apply(write: ModelWrite): string {
    const key = this.keyOf(write)
    const stored = this.records.get(key) ?? null
    if ('read' in write) {
      const { seen, snapshotSeq } = this.#known(write.read)
      if (seen.has(key)) return 'duplicate_reference'
      seen.add(key)
      const decision = decidePull(stored?.state ?? null, write.content, {
        ...write.read,
        snapshotSeq,
      })
      const isReceived = decision.outcome === 'created' || decision.outcome === 'updated'
      if (isReceived) this.counts.received += 1
      return this.#store(key, write, stored, decision)
    }
    this.#seq += 1
    const lastRead = this.#lastReads.get(write.record_type) ?? null
    // The outcome does not depend on the time of a push.
    const context = { seq: this.#seq, at: '2026-03-10T08:00:00.000000000Z', lastRead }
    this.counts.received += 1
    return this.#store(
      key,
      write,
      stored,
      decidePush(stored?.state ?? null, write.content, context),
    )
  }

  #store(
    key: string,
    write: ModelWrite,
    stored: ModelRecord | null,
    decision: WriteDecision,
  ): string {
    const { outcome } = decision
    if (outcome === 'stale' || decision.next === null) return outcome
    const history = [...(stored?.history ?? [])]
    if (outcome === 'updated' && decision.changes.length > 0) {
      const changes = decision.changes.map(({ path, before, after }) => {
        const sides = [
          ...(before === undefined ? [] : [`"before":${before}`]),
          ...(after === undefined ? [] : [`"after":${after}`]),
        ]
        return `{${[`"path":${JSON.stringify(path)}`, ...sides].join(',')}}`
      })
      history.unshift({ source: write.content.source, changes: `[${changes.join(',')}]` })
    }
    if (outcome !== 'unchanged') this.counts[outcome] += 1
    this.records.set(key, { state: withText(decision.next), history })
    return outcome
  }

  #known(read: RecordRead): { recordType: string; snapshotSeq: number; seen: Set<string> } {
    const known = this.#reads.get(read)
    if (!known) throw new Error('The model does not know this read')
    return known
  }
}
