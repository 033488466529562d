import { DatabaseSync } from 'node:sqlite'
import { HubError } from '../../errors.ts'

/** Held as long as the process lives, however it ends. */
export type ProcessLock = { release: () => void }

/**
 * Makes sure that one hub at a time works on a database: the lock is SQLite's own on a file beside it,
 * which the operating system gives back when the process is gone, so that it cannot go stale.
 * @throws HubError `data_folder_in_use`.
 */
export function lockForProcess(databasePath: string): ProcessLock {
  const database = new DatabaseSync(`${databasePath}.lock`)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new HubError('data_folder_in_use', { path: databasePath }, { cause })
  }
  return { release: () => database.close() }
}
