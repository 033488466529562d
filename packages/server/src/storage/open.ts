import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { HashReference } from '../domain/record/erasure.ts'
import { HubError } from '../errors.ts'
import { makeFolder } from '../lib/files/make-folder.ts'
import { systemClock } from '../lib/time/clock.ts'
import type { Storage } from './port/storage.ts'
import { openPostgres } from './postgres/storage.ts'
import { openSqlite } from './sqlite/storage.ts'

/** How long a hub waits for PostgreSQL to come up. */
const WAIT_SECONDS = 30

/** Whether the address is one of PostgreSQL, which several hubs may share. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/**
 * Opens the storage that an address names: `postgres://…`, or `sqlite:<path>`; where it is empty, a
 * SQLite file in the data folder.
 * @throws HubError `no_database` where there is none, unless this is the hub, which makes it;
 *   `database_refused` and `storage_unavailable` for what PostgreSQL says.
 */
export async function openStorage(options: {
  url: string
  dataDir: string
  /** Stands for the references of erased records; left out by a command that stores no records. */
  hashReference?: HashReference
  /** Whether this process is the hub; the command line is not. */
  asHub: boolean
  /** Whether a database that is not there is an error for a hub too. */
  mustExist?: boolean
  timeZone: string
  /** Told what whoever runs the hub should read in its log. */
  warn: (message: string) => void
  /** Ends the wait for a database that is not there yet; where it is left out, there is none. */
  waitUntil?: AbortSignal
}): Promise<Storage> {
  const { url, asHub, mustExist = !asHub, timeZone, warn, waitUntil } = options
  const { hashReference = refuseToHash } = options
  if (isPostgres(url)) {
    const waiting = waitUntil ? { seconds: WAIT_SECONDS, signal: waitUntil } : { seconds: 0 }
    return openPostgres({ url, asHub, timeZone, waiting, warn, hashReference })
  }
  const path = url ? url.slice('sqlite:'.length) : join(options.dataDir, 'recordhub.sqlite')
  if (mustExist && !existsSync(path)) throw new HubError('no_database', { path: resolve(path) })
  return openSqlite({
    path: resolve(path),
    asHub,
    timeZone,
    clock: systemClock,
    hashReference,
  })
}

function refuseToHash(): string {
  throw new Error('Records are stored by a hub, which has the secret')
}

/**
 * Makes the data folder where it is missing.
 * @throws HubError `data_folder_unusable`.
 */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new HubError('data_folder_unusable', { path, reason }, { cause })
  }
}
