import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Tables } from './tables.ts'

/** The deps of a shared repository: the connections for reading and writing, and the clock. */
export type Databases = {
  reader: Kysely<Tables>
  writer: Kysely<Tables>
  clock: Clock
  /**
   * Runs a transaction whose commit does not wait for the disk. It is durable with the next one that
   * does, and never without what was committed before it; only a power cut, never the end of this process,
   * can undo it. For notes on work under way that a power cut ends as well, and for what is then made again.
   */
  withoutFsync: <Result>(work: (transaction: Executor) => Promise<Result>) => Promise<Result>
  /** Waits until no other transaction, of any process, holds this, and holds it until this one ends. */
  acquireLock: (transaction: Executor, what: LockName) => Promise<void>
}

/**
 * What one transaction at a time may work on. `write gates`: what allows writes of records (a key, a
 * platform's status, a running pull); every write under way has ended when it is got, and none begins
 * before it is given back, so that a refusal holds from its commit on. `search index`: the indexes that lists go
 * by, which follow the changes of records. `operators`: who may do what, of which one must stay an admin.
 * `guesses`: how often somebody has tried, of whom each must see those before.
 * `push errors`: the counts of rejected requests, which have a limit over all processes.
 * `secrets`: the change of the secret that keys are sealed with.
 */
export type LockName =
  | 'write authorization'
  | 'rejected pushes'
  | 'sql views'
  | 'removals'
  | 'search index'
  | 'view names'
  | 'operators'
  | 'login attempts'
  | 'push errors'
  | 'secrets'

/** The database itself or a transaction on it. */
export type Executor = Kysely<Tables> | Transaction<Tables>

/** The time as it is stored: RFC 3339 in UTC, to the millisecond. */
export function nowText(clock: Clock): string {
  return clock.now().toISOString()
}
