import { storageUnavailable } from '../../errors.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const UNUSABLE = new Set([5, 6, 8, 9, 10, 11, 13, 14, 15, 26]) // busy … io error, full, cannot open, no database
const REJECTED_ROW = new Set([18, 19, 20, 25]) // too big, constraint, mismatch, out of range
const DAMAGED = new Set([11, 26]) // corrupt, no database

/** Whether SQLite rejected the values of a row, so that other rows may still be stored. */
export function isRejectedRow(error: unknown): boolean {
  return hasCode(error, REJECTED_ROW)
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** Whether the content of the file is damaged, or is not a database. */
export function isDamaged(error: unknown): boolean {
  return hasCode(error, DAMAGED)
}

/** Runs an action on a connection. Maps errors of an unusable database to `storage_unavailable`. */
export function withMappedErrors<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (!hasCode(error, UNUSABLE)) throw error
    throw storageUnavailable(error)
  }
}

function hasCode(error: unknown, codes: ReadonlySet<number>): boolean {
  const code = primaryCode(error)
  return code !== null && codes.has(code)
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null
}
