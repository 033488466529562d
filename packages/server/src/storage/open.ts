import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HubError } from '../errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { makeFolder } from '../lib/make-folder.ts'
import type { Storage } from './port/storage.ts'
import { openSqlite } from './sqlite/storage.ts'

/**
 * Opens the storage that an address names: `sqlite:<path>`; where it is empty, a SQLite file in the
 * data folder.
 * @throws HubError `no_database` where there is none, unless this is the hub, which makes it.
 */
export async function openStorage(options: {
  url: string
  dataDir: string
  /** Whether this process is the hub; the command line is not. */
  asHub: boolean
  timeZone: string
  clock?: Clock
}): Promise<Storage> {
  const path = options.url
    ? options.url.slice('sqlite:'.length)
    : join(options.dataDir, 'recordhub.sqlite')
  const { asHub, timeZone, clock = systemClock } = options
  if (!asHub && !existsSync(path)) throw new HubError('no_database', { path: resolve(path) })
  return openSqlite({ path: resolve(path), asHub, timeZone, clock })
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
