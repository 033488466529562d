/** Applies what reverts commit to the reference model, and checks that the hub was right to commit it. */
import type { RevertWrite } from '../../src/storage/port/record-store.ts'
import type { ResolvedScope, RunningRevert } from '../../src/storage/port/revert-store.ts'
import type { RevertUnit } from './commit-observer.ts'
import type { DatabaseView } from './database-view.ts'
import type { ReferenceModel } from './model.ts'
import type { OperatorCommits } from './operator-commits.ts'
import type { RefusedValues } from './refused-values.ts'
import type { ModelModule } from './registry.ts'
import {
  type Content,
  decideModel,
  MISSING,
  type ModelDecision,
  type ModelHold,
  type ModelScope,
  type Values,
  valuesOf,
} from './revert-model.ts'
import { check } from './violation.ts'

type StoredScope = { resolved: ResolvedScope; makes_holds: boolean }

/** The record of a revert in the model. */
type Target = { module: ModelModule; reference: string; record_id: number; revert_id: number }

export class RevertCommits {
  readonly #model: ReferenceModel
  readonly #view: DatabaseView
  readonly #operators: OperatorCommits
  readonly #refused: RefusedValues
  /** The records that each revert has done. */
  readonly #done = new Map<number, Set<number>>()
  /** The units whose first commit has lifted holds. */
  readonly #lifted = new WeakSet<RevertUnit>()

  constructor(
    model: ReferenceModel,
    view: DatabaseView,
    { operators, refused }: { operators: OperatorCommits; refused: RefusedValues },
  ) {
    this.#model = model
    this.#view = view
    this.#operators = operators
    this.#refused = refused
  }

  /** The number of records that reverts have changed. */
  written = 0

  /**
   * A record is reverted if its history says so: the hub rejects the write of a record that has changed.
   * @returns the module of a record that this write has reverted.
   */
  onReverted(write: RevertWrite, at: number): ModelModule | null {
    const { platform_id, record_type, reference_number, revert, content } = write
    const { revert_id } = revert
    const [row] = this.#view.query(
      `SELECT r.record_id, r.module_id FROM records r JOIN modules m ON m.module_id = r.module_id
       JOIN record_history h ON h.record_id = r.record_id AND h.revert_id = ?
       WHERE r.platform_id = ? AND m.record_type = ? AND r.reference_number = ?`,
      ...[revert_id, platform_id, record_type, reference_number],
    )
    if (!row) return null
    const record_id = Number(row['record_id'])
    if (this.#isDone(revert_id, record_id)) return null
    const module = this.#model.registry.moduleOf(Number(row['module_id']))
    const target = { module, reference: reference_number, record_id, revert_id }
    const { platform } = module
    const name = `The revert ${revert_id} of ${platform.name}/${record_type} ${reference_number}`
    // Also of a platform that was deactivated, as after wrong pushes.
    const isErased = this.#model.registry.isErased(module, reference_number)
    const isAllowed = module.isRegistered && !platform.isRemoved && !isErased
    check(isAllowed, `${name} was committed, although its module or record was deleted`)
    const scope = this.#scopeOf(revert_id)
    const missingSince = content.missing_since && Date.parse(content.missing_since)
    const written: Content = {
      name: content.full_name,
      data: new Map(Object.entries(JSON.parse(content.data))),
      incomplete: content.incomplete,
      missingSince: missingSince || null,
    }
    const decision = this.#decide(target, scope)
    const isSame = decision.outcome === 'reverted' && isSameResult(decision, written)
    check(isSame, `${name} wrote ${describe(written)} instead of ${describeDecision(decision)}`)
    const made = scope.makes_holds && decision.outcome === 'reverted' ? decision.holds : []
    const holds = made.map((hold): ModelHold => ({ ...hold, revert_id }))
    const { resolved } = scope
    const isUndone = resolved.kind === 'revert' && !scope.makes_holds
    const endsHoldsOf = isUndone ? resolved.revert_id : null
    this.#model.applyRevert(target, { content: written, holds, endsHoldsOf }, at)
    this.#refused.refuse(module, reference_number, holds)
    this.written += 1
    return module
  }

  /** Records that a revert leaves as they are. */
  onResults({ revert_id, results }: RevertUnit & { name: 'saveResults' }): void {
    for (const { record_id, outcome, reason } of results) {
      // No history is deleted in a simulation.
      const isPossible = reason === 'history_deleted'
      check(!isPossible, `The revert ${revert_id} reports ${reason} for the record ${record_id}`)
      const [row] = this.#view.query(
        `SELECT r.reference_number, r.module_id FROM revert_records w
         JOIN records r ON r.record_id = w.record_id
         WHERE w.revert_id = ? AND w.record_id = ? AND w.done = 1 AND w.outcome = ?`,
        ...[revert_id, record_id, outcome],
      )
      if (!row || this.#isDone(revert_id, record_id)) continue
      const module = this.#model.registry.moduleOf(Number(row['module_id']))
      const reference = String(row['reference_number'])
      const { platform, record_type } = module
      if (this.#operators.mayBeErased({ platform: platform.name, record_type, reference })) continue
      check(reason !== 'anonymised', `The revert ${revert_id} reports that ${reference} is erased`)
      if (outcome === 'impossible') continue
      const decision = this.#decide(
        { module, reference, record_id, revert_id },
        this.#scopeOf(revert_id),
      )
      const isRight =
        decision.outcome === outcome && (decision.outcome === 'kept' || !decision.isChanged)
      const name = `${platform.name}/${record_type} ${reference}`
      check(
        isRight,
        `The revert ${revert_id} reports ${outcome} for ${name}, but must be ${describeDecision(decision)}`,
      )
    }
  }

  /** A revert that has succeeded has done all of its records, and reports what it did. */
  onFinished(revertId: number): void {
    const [revert] = this.#view.query(
      'SELECT state, reverted, kept, impossible FROM reverts WHERE revert_id = ?',
      revertId,
    )
    if (revert?.['state'] !== 'succeeded') return
    const rows = this.#view.query(
      `SELECT w.record_id, w.outcome, w.done, w.held,
         (SELECT count(*) FROM record_history h
          WHERE h.record_id = w.record_id AND h.revert_id = w.revert_id) AS entries
       FROM revert_records w WHERE w.revert_id = ?`,
      revertId,
    )
    for (const { record_id, done, entries, held, outcome } of rows) {
      const name = `the record ${record_id} of the revert ${revertId}`
      check(done === 1, `The revert ${revertId} has succeeded without ${name}`)
      check(Number(entries) <= 1, `The history has ${entries} entries for ${name}`)
      const isKept = outcome !== 'reverted' && Number(held) > 0
      check(!isKept, `There are holds of ${name}, which is ${outcome}`)
    }
    const scope = this.#scopeOf(revertId)
    const { resolved, makes_holds } = scope
    this.#checkOmitted(revertId, scope)
    if (resolved.kind === 'revert' && !makes_holds) {
      const [left] = this.#view.query(
        'SELECT count(*) AS n FROM holds WHERE revert_id = ?',
        resolved.revert_id,
      )
      check(left?.['n'] === 0, `The revert ${revertId} left holds of the one that it reverts`)
    }
    for (const outcome of ['reverted', 'kept', 'impossible']) {
      const counted = rows.filter((row) => row['outcome'] === outcome).length
      const reported = revert[outcome]
      check(reported === counted, `The revert ${revertId} reports ${reported} ${outcome}`)
    }
  }

  /** A plan contains every record that an ended pull or revert wrote. */
  #checkOmitted(revertId: number, { resolved }: StoredScope): void {
    if (resolved.kind !== 'pull' && resolved.kind !== 'revert') return
    const rows = this.#view.query(
      `SELECT r.module_id, r.reference_number FROM revert_records w
       JOIN records r ON r.record_id = w.record_id WHERE w.revert_id = ?`,
      revertId,
    )
    const planned = new Set(rows.map((row) => `${row['module_id']} ${row['reference_number']}`))
    const { isOfScope, createsRecords } = this.#toModel(resolved, {
      record_id: 0,
      revert_id: revertId,
    })
    const moduleIds = resolved.kind === 'pull' ? resolved.module_ids : null
    for (const { module_id, record_type, platform, records } of this.#model.registry.modules) {
      if (moduleIds && !moduleIds.includes(module_id)) continue
      for (const [reference, { createdBy, history }] of records) {
        if (planned.has(`${module_id} ${reference}`)) continue
        const count = history.length
        const isWritten =
          (createsRecords && isOfScope(createdBy, { index: -1, count })) ||
          // An operator may have decided a review of missing records after the plan.
          history.some(
            ({ by, before, after }, index) =>
              isOfScope(by, { index, count }) && isMoreThanMissing(before, after),
          )
        if (!isWritten) continue
        const name = { platform: platform.name, record_type, reference }
        check(
          this.#operators.mayBeErased(name),
          `The revert ${revertId} omits ${platform.name}/${record_type} ${reference}`,
        )
      }
    }
  }

  /** Holds are lifted in the first commit; a second one appends to the logs. */
  onLifted(unit: RevertUnit & { name: 'liftHolds' }): void {
    if (this.#lifted.has(unit) || (unit.by && !this.#isRunning(unit.by))) return
    this.#lifted.add(unit)
    const { scope } = unit
    if ('revert_id' in scope) {
      this.#model.liftHolds((hold) => hold.revert_id === scope.revert_id)
      this.#refused.allowRevert(scope.revert_id)
      return
    }
    const [row] = this.#view.query(
      'SELECT module_id, reference_number FROM records WHERE record_id = ?',
      scope.record_id,
    )
    if (!row) return
    const module = this.#model.registry.moduleOf(Number(row['module_id']))
    const reference = String(row['reference_number'])
    this.#model.liftHolds((_, one, other) => one === module && other === reference)
    this.#refused.allowRecord(module, reference)
  }

  #isRunning({ revert_id, owner }: RunningRevert): boolean {
    const [row] = this.#view.query(
      'SELECT state, lease_owner FROM reverts WHERE revert_id = ?',
      revert_id,
    )
    return row?.['state'] === 'running' && row['lease_owner'] === owner
  }

  #isDone(revertId: number, recordId: number): boolean {
    const done = this.#done.get(revertId) ?? new Set()
    this.#done.set(revertId, done)
    const isDone = done.has(recordId)
    done.add(recordId)
    return isDone
  }

  #scopeOf(revertId: number): StoredScope {
    const [row] = this.#view.query(
      'SELECT resolved_scope, makes_holds FROM reverts WHERE revert_id = ?',
      revertId,
    )
    const resolved: ResolvedScope = JSON.parse(String(row?.['resolved_scope']))
    return { resolved, makes_holds: row?.['makes_holds'] === 1 }
  }

  #decide({ module, reference, ...target }: Target, { resolved }: StoredScope): ModelDecision {
    const record = module.records.get(reference)
    check(
      record !== undefined,
      `The revert ${target.revert_id} wrote ${reference}, which is erased`,
    )
    return decideModel(record, this.#toModel(resolved, target))
  }

  #toModel(
    scope: ResolvedScope,
    { record_id, revert_id }: { record_id: number; revert_id: number },
  ): ModelScope {
    switch (scope.kind) {
      case 'pull':
        return {
          createsRecords: true,
          isOfScope: (by) => by.kind === 'pull' && by.pull_id === scope.pull_id,
        }
      case 'pushes': {
        const [from, to] = [Date.parse(scope.from), Date.parse(scope.to)]
        return {
          createsRecords: true,
          isOfScope: (by) => by.kind === 'push' && by.at >= from && by.at < to,
        }
      }
      case 'revert':
        return {
          createsRecords: false,
          isOfScope: (by) => by.kind === 'revert' && by.revert_id === scope.revert_id,
        }
      case 'record': {
        const [row] = this.#view.query(
          `SELECT count(*) AS n FROM record_history WHERE record_id = ? AND change_seq > ?
             AND (revert_id IS NULL OR revert_id <> ?)`,
          ...[record_id, scope.version, revert_id],
        )
        // The model does not know the numbers of changes, but their order.
        const later = Number(row?.['n'])
        return {
          createsRecords: false,
          isOfScope: (_, { index, count }) => index >= count - later,
        }
      }
    }
  }
}

function isMoreThanMissing(before: Values, after: Values): boolean {
  return [...before.keys(), ...after.keys()].some(
    (path) => path !== MISSING && before.get(path) !== after.get(path),
  )
}

type Reverted = Extract<ModelDecision, { outcome: 'reverted' }>

function isSameResult({ next, isCreated }: Reverted, written: Content): boolean {
  // The hub chooses since when a created record is missing.
  if (isCreated && written.missingSince === null) return false
  const missingSince = isCreated ? written.missingSince : next.missingSince
  return describe({ ...next, missingSince }) === describe(written)
}

function describe(content: Content): string {
  return JSON.stringify(
    [...valuesOf(content)].toSorted(([one], [other]) => one.localeCompare(other)),
  )
}

function describeDecision(decision: ModelDecision): string {
  return decision.outcome === 'kept' ? 'kept' : `reverted to ${describe(decision.next)}`
}
