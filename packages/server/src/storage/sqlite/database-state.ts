/**
 * The state file beside a database. It exists while a hub uses the database, and stays if the hub does not close it. It
 * tells the next start whether the database may be damaged: the disk failed, or the machine went down before everything
 * was written. The end of the process alone cannot damage it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HubError, storageUnavailable } from '../../errors.ts'
import { syncFolder } from '../../lib/files/durable-files.ts'
import { errorCodeOf, isOutOfSpace } from '../../lib/files/error-code.ts'
import { assertIntact } from './database-snapshot.ts'
import { withMappedErrors } from './map-error.ts'

type DatabaseState = {
  /** Identifies the run of the machine; null if the system does not report it. */
  boot: string | null
  /** How the disk failed; null if it did not. */
  failure: string | null
}

/** The path of the state file of a database. */
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
export function saveFailure(path: string, failure: string): boolean {
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
    const found = cause instanceof Error ? cause.message : String(cause)
    throw new HubError('database_damaged', { path, reason: found }, { cause })
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
