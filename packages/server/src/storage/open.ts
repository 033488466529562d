import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { HashReference } from '../domain/record/erasure.ts'
import { HubError, messageOf } from '../errors.ts'
import { makeFolder } from '../lib/files/durable-files.ts'
import { type Clock, systemClock } from '../lib/time/clock.ts'
import type { DiagnosticsStore } from './port/diagnostics-store.ts'
import type { Storage, Upgrade } from './port/storage.ts'

/** How long a hub waits for PostgreSQL to become available. */
const WAIT_SECONDS = 30

/** Whether the URL is that of a PostgreSQL database, which several hubs may share. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** The SQLite file of a URL. */
export function databasePathOf({ url, dataDir }: { url: string; dataDir: string }): string {
  return resolve(url ? url.slice('sqlite:'.length) : join(dataDir, 'recordhub.sqlite'))
}

/**
 * Opens the storage of a URL: `postgres://…` or `sqlite:<path>`. An empty URL means a SQLite file in the data folder.
 * Loads only the packages of that engine.
 * @throws HubError `no_database` if there is no database and this process is not the hub, which creates it;
 *   `database_rejected` or `storage_unavailable` if PostgreSQL cannot be used.
 */
export async function openStorage(options: {
  url: string
  dataDir: string
  /** Hashes the references of erased records; left out by commands that store no records. */
  hashReference?: HashReference
  /** Whether this process is the hub; the command line is not. */
  asHub: boolean
  /** Whether a missing database is an error; true by default unless this process is the hub. */
  mustExist?: boolean
  timeZone: string
  /** The time of a SQLite database; that of the system by default. */
  clock?: Clock | undefined
  /** Logs a warning for the administrator of the hub. */
  warn: (message: string) => void
  /**
   * Called once, synchronously, when a write to the disk of a SQLite database has failed or the database is damaged, with
   * a message for the administrator. From then on, every method of the storage throws `storage_failed`, and only a new
   * process can use the database.
   */
  onFailure?: (message: string) => void
  /** Aborts the wait for a database that is not available yet; without it, there is no wait. */
  waitUntil?: AbortSignal
  /** How a hub prepares the migration of an older database. */
  upgrade?: Upgrade
}): Promise<Storage> {
  const { url, asHub, mustExist = !asHub, timeZone, warn, waitUntil } = options
  const upgrade = options.upgrade ? { upgrade: options.upgrade } : {}
  const { hashReference = rejectHashing, onFailure = () => undefined } = options
  if (isPostgres(url)) {
    const waiting = waitUntil ? { seconds: WAIT_SECONDS, signal: waitUntil } : { seconds: 0 }
    const { openPostgres } = await import('./postgres/storage.ts')
    return openPostgres({ url, asHub, timeZone, waiting, warn, hashReference, ...upgrade })
  }
  const path = databasePathOf(options)
  if (mustExist && !existsSync(path)) throw new HubError('no_database', { path })
  const { openSqlite } = await import('./sqlite/storage.ts')
  return openSqlite({
    path,
    asHub,
    timeZone,
    clock: options.clock ?? systemClock,
    hashReference,
    warn,
    onFailure,
    ...upgrade,
  })
}

/**
 * Opens a database for reading, in whatever state it is.
 * @throws HubError `no_database`, `database_rejected` or `storage_unavailable`.
 */
export async function openDiagnostics(options: {
  url: string
  dataDir: string
}): Promise<DiagnosticsStore> {
  if (isPostgres(options.url)) {
    const { openDiagnostics: open } = await import('./postgres/diagnostics.ts')
    return open(options.url)
  }
  const { openDiagnostics: open } = await import('./sqlite/diagnostics.ts')
  return open(databasePathOf(options))
}

function rejectHashing(): string {
  throw new Error('Only a hub stores records, because only a hub has the secret')
}

/**
 * Creates the data folder if it does not exist.
 * @throws HubError `data_folder_unusable`.
 */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    throw dataFolderUnusable(path, error)
  }
}

/** Names the folder: the message of a full disk names no file. */
export function dataFolderUnusable(path: string, cause: unknown): HubError {
  const params = { path: resolve(path), reason: messageOf(cause) }
  return new HubError('data_folder_unusable', params, { cause })
}
