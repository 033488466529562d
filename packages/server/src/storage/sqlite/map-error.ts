import { storageUnavailable } from '../../errors.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const UNUSABLE = new Set([5, 6, 8, 9, 10, 11, 13, 14, 15, 26]) // busy … io error, full, cannot open, no database
const REJECTED_ROW = new Set([18, 19, 20, 25]) // too big, constraint, mismatch, out of range

/** Whether SQLite rejected the values of a row, so that other rows may still be stored. */
export function isRejectedRow(error: unknown): boolean {
  const code = primaryCode(error)
  return code !== null && REJECTED_ROW.has(code)
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/** Runs an action on a connection. Maps errors of an unusable database to `storage_unavailable`. */
export function withMappedErrors<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    const code = primaryCode(error)
    if (code === null || !UNUSABLE.has(code)) throw error
    throw storageUnavailable(error)
  }
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null
}
