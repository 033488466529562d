import { withText } from '../../../domain/record/json-text.ts'
import type { NewRecordState, WriteDecision } from '../../../domain/record/record.ts'
import { findContradicted } from '../../../domain/revert/contradicted-holds.ts'
import { type Hold, type HoldDecision, kindOf } from '../../../domain/revert/hold.ts'
import { type HeldDecision, holdBack } from '../../../domain/revert/hold-back.ts'
import type { PullWrite, PushWrite, ReplayWrite } from '../../port/record-store.ts'
import type { BatchPlan, PlannedRecord } from './batch-changes.ts'
import type { WritableModule } from './write-rows.ts'

/** Returns the holds of a loaded record. */
export type FindHolds = (module: WritableModule, recordId: number) => readonly Hold[]

/** The holds of the records of a batch, as its earlier writes left them. */
export class BatchHolds {
  readonly #findHolds: FindHolds
  readonly #plan: Pick<BatchPlan, 'liftedHolds'>
  /** The holds of records that writes of the batch have lifted some of. */
  readonly #left = new Map<number, readonly Hold[]>()

  constructor(findHolds: FindHolds, plan: Pick<BatchPlan, 'liftedHolds'>) {
    this.#findHolds = findHolds
    this.#plan = plan
  }

  /**
   * Leaves the values that a revert has taken back as they are.
   * @returns `lift` ends the holds that the write lifts. It is called once the write is accepted.
   */
  holdBack(
    write: PushWrite | PullWrite | ReplayWrite,
    module: WritableModule,
    record: PlannedRecord,
    decision: WriteDecision,
  ): { decision: HeldDecision; isHeld: boolean; lift: () => void } {
    const { state, record_id } = record
    if (!state || decision.outcome === 'stale') return asDecided(decision)
    const holds = this.#holdsOf(module, record)
    if (holds.length === 0) return asDecided(decision)
    const content =
      'read' in write
        ? { ...write.content, manifest_keys: write.read.manifest_keys }
        : write.content
    const { held, lifted, isHeld } = holdBack(withText(state), decision, { holds, content })
    const lift = () => {
      if (lifted.length > 0) this.#lift(record_id, holds, lifted)
    }
    return { decision: held, isHeld, lift }
  }

  hasHolds(module: WritableModule, record: PlannedRecord): boolean {
    return record.state !== null && this.#holdsOf(module, record).length > 0
  }

  /** Ends all holds of a record. */
  liftAll(module: WritableModule, record: PlannedRecord): void {
    if (!this.hasHolds(module, record)) return
    this.#left.set(record.record_id, [])
    this.#plan.liftedHolds.push({ record_id: record.record_id, revert_id: null, kind: null })
  }

  /** Ends the holds that refuse what a revert makes of a record. @param next the record as the revert leaves it. */
  liftContradicted(module: WritableModule, record: PlannedRecord, next: NewRecordState): void {
    const holds = this.#holdsOf(module, record)
    if (holds.length === 0) return
    const contradicted = findContradicted(holds, withText(next))
    if (contradicted.length > 0) this.#lift(record.record_id, holds, contradicted)
  }

  #lift(record_id: number, holds: readonly Hold[], lifted: HoldDecision['lifted']): void {
    const isLifted = ({ revert_id, path }: Hold) =>
      lifted.some((one) => one.revert_id === revert_id && one.kind === kindOf(path))
    this.#left.set(
      record_id,
      holds.filter((hold) => !isLifted(hold)),
    )
    this.#plan.liftedHolds.push(...lifted.map((one) => ({ record_id, ...one })))
  }

  #holdsOf(module: WritableModule, { record_id }: PlannedRecord): readonly Hold[] {
    return this.#left.get(record_id) ?? this.#findHolds(module, record_id)
  }
}

const liftNothing = () => undefined

function asDecided(decision: WriteDecision) {
  return { decision, isHeld: false, lift: liftNothing }
}
