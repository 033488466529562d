import { DatabaseSync } from 'node:sqlite'
import { HubError } from '../../errors.ts'
import { isBusy, withMappedErrors } from './map-error.ts'

/** Held as long as the process lives, however it ends. */
export type ProcessLock = { release: () => void }

/**
 * Makes sure that one hub at a time works on a database: the lock is SQLite's own on a file beside it,
 * which the operating system gives back when the process is gone, so that it cannot go stale.
 * @throws HubError `data_folder_in_use` where another hub holds it, `storage_unavailable` where the file
 *   cannot be used.
 */
export function lockForProcess(databasePath: string): ProcessLock {
  const database = withMappedErrors(() => new DatabaseSync(`${databasePath}.lock`))
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (cause) {
    database.close()
    if (isBusy(cause)) throw new HubError('data_folder_in_use', { path: databasePath }, { cause })
    return withMappedErrors(() => {
      throw cause
    })
  }
}
