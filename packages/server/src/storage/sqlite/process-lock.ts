import { DatabaseSync } from 'node:sqlite'
import { HubError } from '../../errors.ts'
import { isBusy, withMappedErrors } from './map-error.ts'

/** The lock is held until it is released or the process ends, for whatever reason. */
export type ProcessLock = { release: () => void }

/**
 * Ensures that one hub at a time uses a database. The lock is SQLite's own, on a file beside the database. The
 * operating system releases it when the process ends, so it cannot become stale.
 * @throws HubError `data_folder_in_use` if another hub holds the lock, `storage_unavailable` if the file cannot be
 *   used.
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
