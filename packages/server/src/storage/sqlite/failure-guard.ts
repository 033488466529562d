/**
 * Ends the use of a database after a failed fsync, write or read of its disk, or when SQLite finds it damaged. A failed
 * fsync must not be retried: the system may have discarded the data, and the next fsync succeeds nevertheless.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { diskFull, HubError, messageOf, storageFailed, storageUnavailable } from '../../errors.ts'
import { syncFolder } from '../../lib/files/durable-files.ts'
import { errorCodeOf, isOutOfSpace } from '../../lib/files/error-code.ts'
import { assertIntact } from './database-snapshot.ts'
import { isDamaged, isDiskFull, isFatal, type SqliteError, withMappedErrors } from './map-error.ts'

export type FailureGuard = {
  /**
   * Runs an action on the database.
   * @throws HubError `storage_failed` if the disk has failed, now or before; `disk_full`, `storage_unavailable`.
   */
  run: <Result>(action: () => Result) => Result
  /** As `run` for a connection that only reads: a failed read says nothing about the data that was written. */
  read: <Result>(action: () => Result) => Result
  /** Reports a failure of another thread. */
  fail: (cause: SqliteError) => void
  hasFailed: () => boolean
}

/** @param onFailure called once, synchronously, with the message for the administrator. */
export function createFailureGuard(
  path: string,
  onFailure: (message: string) => void,
): FailureGuard {
  let failure: HubError | null = null

  function fail(cause: SqliteError): HubError {
    if (failure) return failure
    failure = storageFailed(cause)
    const what = describeCause(cause)
    const isSaved = saveFailure(path, `at ${new Date().toISOString()} ${what}`)
    onFailure(describeFailure(path, what, isSaved))
    return failure
  }

  function guard<Result>(
    action: () => Result,
    endsUse: (error: unknown) => error is SqliteError,
  ): Result {
    if (failure) throw failure
    try {
      return action()
    } catch (error) {
      if (isDiskFull(error, path)) throw diskFull(error)
      if (endsUse(error)) throw fail(error)
      return withMappedErrors(() => {
        throw error
      })
    }
  }

  return {
    run: (action) => guard(action, isFatal),
    read: (action) => guard(action, isDamaged),
    fail: (cause) => void fail(cause),
    hasFailed: () => failure !== null,
  }
}

function describeCause(cause: SqliteError): string {
  const what = isDamaged(cause) ? 'SQLite found damage' : 'a read or write of the disk failed'
  return `${what}: ${cause.message} (SQLite error ${cause.errcode})`
}

function describeFailure(path: string, what: string, isSaved: boolean): string {
  const next = isSaved
    ? 'The next start checks the whole database.'
    : 'The hub could not save that the database must be checked: run recordhub doctor before the next start.'
  return `The hub stops and acknowledges nothing more, because in the database ${path} ${what}. Check the disk and the log of the system, then start the hub again. ${next}`
}

type DatabaseState = {
  /** Identifies the run of the machine; null if the system does not report it. */
  boot: string | null
  /** How the disk failed; null if it did not. */
  failure: string | null
}

/**
 * The path of the state file of a database. The file exists while a hub uses the database, and stays if the hub does not
 * close it. It tells the next start whether the database may be damaged: the disk failed, or the machine went down before
 * everything was written. The end of the process alone cannot damage it.
 */
export function stateFileOf(databasePath: string): string {
  return `${databasePath}.state`
}

/**
 * Checks the whole database if it may be damaged. Then saves that it is in use. The reason for a check stays until one has
 * succeeded.
 * @throws HubError `database_damaged`; `storage_unavailable` if the folder cannot be written or the file cannot be opened.
 */
export function beginUse(path: string, log: (message: string) => void): void {
  const reason = existsSync(path) ? findReason(path) : null
  rollBackCreation(path)
  if (reason !== null) checkDatabase(path, reason, log)
  try {
    saveState(path, { boot: readBootId(), failure: null })
    syncFolder(dirname(path))
  } catch (cause) {
    // A full disk must not prevent a start. The file is then incomplete, which causes a check.
    if (!isOutOfSpace(cause)) throw storageUnavailable(cause)
  }
}

/**
 * Rolls back a transaction without a write-ahead log, which only the creation of a database is. Its journal is there if a
 * power failure interrupted it. Connections that only read cannot open such a file.
 */
function rollBackCreation(path: string): void {
  if (!existsSync(`${path}-journal`)) return
  withMappedErrors(() => {
    using database = new DatabaseSync(path)
    database.exec('PRAGMA schema_version')
  })
}

/** Deletes the state file, because the database was closed. */
export function endUse(path: string): void {
  rmSync(stateFileOf(path), { force: true })
}

/** Saves that the disk has failed. @returns false if the disk does not store that either. */
function saveFailure(path: string, failure: string): boolean {
  try {
    saveState(path, { boot: readBootId(), failure })
    return true
  } catch {
    return false
  }
}

/**
 * Asserts that the disk has not failed since the last check, for a process that is not a hub.
 * @throws HubError `database_unchecked`.
 */
export function assertChecked(path: string): void {
  const failure = readState(path)?.failure
  if (failure) throw new HubError('database_unchecked', { path, reason: failure })
}

/** Why a database may be damaged; null if it was closed, or if only its process ended. */
function findReason(path: string): string | null {
  const state = readState(path)
  if (!state) return null
  if (state.failure !== null) return state.failure
  return state.boot === readBootId() ? null : 'the machine stopped while the hub was running'
}

/** @throws HubError `database_damaged`. */
function checkDatabase(path: string, reason: string, log: (message: string) => void): void {
  log(`Checking the whole database ${path} before the start, because ${reason}.`)
  const begun = performance.now()
  try {
    assertIntact(path)
  } catch (cause) {
    throw new HubError('database_damaged', { path, reason: messageOf(cause) }, { cause })
  }
  const seconds = Math.ceil((performance.now() - begun) / 1000)
  log(`The database is not damaged. The check took ${seconds} s.`)
}

function readState(path: string): DatabaseState | null {
  let text: string
  try {
    text = readFileSync(stateFileOf(path), 'utf8')
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null
    throw error
  }
  const [boot = '', failure = ''] = text.split('\n')
  return { boot: boot || null, failure: failure || null }
}

function saveState(path: string, { boot, failure }: DatabaseState): void {
  writeFileSync(stateFileOf(path), `${boot ?? ''}\n${failure ?? ''}\n`, { flush: true })
}

function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}
