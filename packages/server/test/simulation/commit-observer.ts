/**
 * Reports what each transaction of a hub has committed, at the moment of the commit. A storage is wrapped so that the
 * code that executes a statement knows the unit of work that it belongs to.
 */
import type { MissingBatch } from '../../src/storage/port/missing-store.ts'
import type { PullTaskResult } from '../../src/storage/port/pull-store.ts'
import type { WriteBatch } from '../../src/storage/port/record-store.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { currentContext, runInContext } from './scheduler.ts'

/** A unit of work whose commit the reference model needs. */
export type Unit =
  | { name: 'applyWrites'; batch: WriteBatch }
  | { name: 'startTask'; pull_id: number; task_number: number }
  | { name: 'finishTask'; pull_id: number; task_number: number; result: PullTaskResult }
  | { name: 'markMissing'; batch: MissingBatch }

export function isUnit(value: unknown): value is Unit {
  return typeof value === 'object' && value !== null && 'name' in value
}

/** The stores of one hub process on a storage that several processes may share. */
export function observeCommits(storage: Storage): Storage {
  const { records, pulls, missing } = storage
  return {
    ...storage,
    records: {
      ...records,
      applyWrites: (batch) =>
        asUnit({ name: 'applyWrites', batch }, () => records.applyWrites(batch)),
    },
    pulls: {
      ...pulls,
      startTask: (pull_id, task_number) =>
        asUnit({ name: 'startTask', pull_id, task_number }, () =>
          pulls.startTask(pull_id, task_number),
        ),
      finishTask: (pull_id, task_number, result, activity) =>
        asUnit({ name: 'finishTask', pull_id, task_number, result }, () =>
          pulls.finishTask(pull_id, task_number, result, activity),
        ),
    },
    missing: {
      ...missing,
      markMissing: (batch) =>
        asUnit({ name: 'markMissing', batch }, () => missing.markMissing(batch)),
    },
  }
}

function asUnit<Result>(unit: Unit, work: () => Result): Result {
  const context = currentContext()
  return context ? runInContext({ ...context, unit }, work) : work()
}
