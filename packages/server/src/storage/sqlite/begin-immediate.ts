import type { DatabaseSync } from 'node:sqlite'
import { hasGivenUp } from './map-error.ts'

/** How long a connection waits for a lock. */
export const BUSY_TIMEOUT_MS = 5000

/**
 * Begins a transaction with the write lock, which the checkpointer holds while it moves the last pages of the log, and the
 * command line while it writes.
 *
 * The timeout of SQLite alone is not enough: it adds up how long it meant to sleep, and a signal to the process ends a
 * sleep early. A profiler sends a thousand signals a second, which ends a wait of five seconds in a few milliseconds.
 * @param now milliseconds of a monotonic clock.
 * @throws SqliteError SQLITE_BUSY if another connection holds the lock for longer than the timeout.
 */
export function beginImmediate(database: DatabaseSync, now = () => performance.now()): void {
  const end = now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!hasGivenUp(error) || now() >= end) throw error
    }
  }
}
