import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { diskFull, storageUnavailable } from '../../errors.ts'
import { isOutOfSpace } from '../../lib/files/error-code.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const UNUSABLE = new Set([5, 6, 8, 9, 10, 11, 13, 14, 15, 26]) // busy … io error, full, cannot open, no database
const REJECTED_ROW = new Set([18, 19, 20, 25]) // too big, constraint, mismatch, out of range
const DAMAGED = new Set([11, 26]) // corrupt, no database
const READONLY_ROLLBACK = 776
const IO_ERROR = 10
const FULL = 13

/**
 * I/O errors that do not concern the content of the database and its log. After any other one, what is on the disk is
 * unknown: after a failed fsync or write, the system may have discarded data, and the next fsync would succeed
 * nevertheless; after a failed read, what was written may be lost.
 */
const HARMLESS_IO_ERRORS: ReadonlySet<number> = new Set(
  [
    ...[8, 9, 11, 14, 15], // UNLOCK, RDLOCK, BLOCKED, CHECKRESERVEDLOCK, LOCK
    ...[12, 13, 25, 26, 27, 28], // NOMEM, ACCESS, GETTEMPPATH, CONVPATH, VNODE, AUTH
    // SQLite rebuilds the `-shm` file from the log.
    ...[18, 19, 20, 21], // SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP
  ].map(ioError),
)
/** WRITE, SHMSIZE: SQLite reports an exceeded quota and a full disk like this. */
const POSSIBLY_FULL: ReadonlySet<number> = new Set([3, 19].map(ioError))

/** An error of `node:sqlite`, with its extended result code. */
export type SqliteError = Error & { errcode: number }

/** The extended code of an I/O error. */
function ioError(detail: number): number {
  return (detail << 8) | IO_ERROR
}

/** Whether SQLite rejected the values of a row, so that other rows may still be stored. */
export function isRejectedRow(error: unknown): boolean {
  return hasCode(error, REJECTED_ROW)
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

/**
 * Whether SQLite gave up its wait for a lock that another connection holds, which it may have cut short. After a wait of the
 * operating system (SQLITE_BUSY_TIMEOUT), and where no wait would help (SQLITE_BUSY_SNAPSHOT), it is another code.
 */
export function hasGivenUp(error: unknown): boolean {
  return extendedCode(error) === 5
}

/** Whether the content of the file is damaged, or is not a database. */
export function isDamaged(error: unknown): error is SqliteError {
  return hasCode(error, DAMAGED)
}

/** Whether a file cannot be used, now or at all. */
export function isUnusable(error: unknown): boolean {
  return hasCode(error, UNUSABLE)
}

/** Whether a connection that only reads found an interrupted transaction, which a writing connection has to roll back. */
export function needsRollback(error: unknown): boolean {
  return extendedCode(error) === READONLY_ROLLBACK
}

/** Whether a file must not be written any more: the disk failed to write or read, or the content is damaged. */
export function isFatal(error: unknown): error is SqliteError {
  const code = extendedCode(error)
  if (code === null) return false
  return isDamaged(error) || ((code & 0xff) === IO_ERROR && !HARMLESS_IO_ERRORS.has(code))
}

/**
 * Whether a write failed because the disk has no space. If the code is also that of a write that failed for another
 * reason, writes a file to find out.
 * @param path the path of the database.
 */
export function isDiskFull(error: unknown, path: string): boolean {
  const code = extendedCode(error)
  if (code === null) return false
  return isFull(error) || (POSSIBLY_FULL.has(code) && isFolderFull(dirname(path)))
}

/** More than a file system stores without a new block. */
const PROBE_BYTES = 64 * 1024

function isFolderFull(folder: string): boolean {
  const probe = join(folder, 'recordhub.probe')
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flush: true })
    return false
  } catch (error) {
    return isOutOfSpace(error)
  } finally {
    try {
      rmSync(probe, { force: true })
    } catch {
      // A disk that has failed may not delete files either, which must not hide its failure.
    }
  }
}

function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL
}

/** Runs an action on a connection. Maps errors of an unusable database to `disk_full` or `storage_unavailable`. */
export function withMappedErrors<Result>(action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    if (isFull(error)) throw diskFull(error)
    if (!isUnusable(error)) throw error
    throw storageUnavailable(error)
  }
}

function hasCode(error: unknown, codes: ReadonlySet<number>): boolean {
  const code = primaryCode(error)
  return code !== null && codes.has(code)
}

function primaryCode(error: unknown): number | null {
  const code = extendedCode(error)
  return code === null ? null : code & 0xff
}

function extendedCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode : null
}
