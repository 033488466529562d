/**
 * Ends the use of a database after a failed fsync, write or read of its disk, or when SQLite finds it damaged. A failed
 * fsync must not be retried: the system may have discarded the data, and the next fsync succeeds nevertheless.
 */
import { diskFull, type HubError, storageFailed } from '../../errors.ts'
import { saveFailure } from './database-state.ts'
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
