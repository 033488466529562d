/** The connections, locks and rows that the stores share. */
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Tables } from './tables.ts'

/** The deps of the shared stores: the connections for reading and writing, the clock, and locks. */
export type Databases = {
  reader: Kysely<Tables>
  writer: Kysely<Tables>
  clock: Clock
  /**
   * Runs a transaction whose commit does not wait for an fsync. It becomes durable with the next synced commit. A
   * power failure can undo it, together with every later commit; the end of this process cannot undo it. Use it for the
   * progress of work that a power failure ends as well, and for data that can be rebuilt. Never allocate numbers of the
   * write sequence in it: readers of the change feed and the text index would have seen changes that are undone.
   */
  withoutFsync: <Result>(work: (transaction: Executor) => Promise<Result>) => Promise<Result>
  /** Waits for a lock among all transactions of all processes, and holds it until the transaction ends. */
  acquireLock: (transaction: Executor, name: LockName) => Promise<void>
  /** Runs a transaction that first waits for the locks, in this order, and then reads the time, see `nowText`. */
  transact: <Result>(
    locks: readonly LockName[],
    work: (transaction: Executor, at: string) => Promise<Result>,
  ) => Promise<Result>
}

export function createDatabases(parts: Omit<Databases, 'transact'>): Databases {
  const { writer, clock, acquireLock } = parts
  return {
    ...parts,
    transact: (locks, work) =>
      writer.transaction().execute(async (transaction) => {
        for (const name of locks) await acquireLock(transaction, name)
        return work(transaction, nowText(clock))
      }),
  }
}

/**
 * Locks that one transaction at a time holds.
 * - `write authorization`: the rows that authorize writes of records (a hub key, the status of a platform, a running
 *   pull). When it is acquired, every write in flight has ended, and none begins before it is released. A revocation is
 *   therefore effective from its commit on.
 * - `rejected pushes`: saving, replaying and deleting rejected pushes.
 * - `sql views`: the views for reading records with SQL.
 * - `removals`: the steps that delete removed platforms and modules.
 * - `text index`, `field index`: the indexes of record lists, which follow the changes of records. A transaction that
 *   takes both takes the text index first.
 * - `view names`: the names of saved views, which are unique per owner.
 * - `platform names`: the names of platforms, which are unique, and their first names. A transaction that also takes the
 *   write authorization takes that first.
 * - `settings`: the stored settings, whose earlier values the audit log has.
 * - `operators`: roles and accounts; at least one admin must remain.
 * - `login attempts`: failed sign-ins; each attempt must see all earlier ones.
 * - `push errors`: the counts of rejected requests, whose limit applies to all processes together.
 * - `request log`: saving requests and deleting them, so that they become visible in the order of their ids. It is acquired
 *   after the lock of rejected pushes.
 * - `counters`: the repair of the counters of records.
 * - `secrets`: the rotation of the secret that encrypts keys.
 */
export type LockName =
  | 'write authorization'
  | 'rejected pushes'
  | 'sql views'
  | 'removals'
  | 'text index'
  | 'field index'
  | 'view names'
  | 'settings'
  | 'platform names'
  | 'operators'
  | 'login attempts'
  | 'push errors'
  | 'request log'
  | 'secrets'
  | 'counters'

/** The database itself or a transaction on it. */
export type Executor = Kysely<Tables> | Transaction<Tables>

/** Returns the time as it is stored: RFC 3339 in UTC, to the millisecond. */
export function nowText(clock: Clock): string {
  return clock.now().toISOString()
}

/** Reads columns of a row and checks their types, which the drivers return as `unknown`. */
export type Row = Record<string, unknown>

export function integerOf(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new TypeError(`Column ${column} is not a number`)
}

export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new TypeError(`Column ${column} is not a text`)
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (value instanceof Uint8Array) return value
  throw new TypeError(`Column ${column} is not a blob`)
}

export function nullableTextOf(row: Row, column: string): string | null {
  return row[column] === null ? null : textOf(row, column)
}

export function nullableIntegerOf(row: Row, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column)
}

/** Times rise with the ids of a table, except for concurrent transactions and changed clocks. */
export const TIME_MARGIN_MS = 10 * 60_000
/** Reading this many ids is faster than a further step of the binary search. */
const MAX_BOUND_ERROR = 1000

/**
 * Finds where a time begins among the ids from `before` to `from`, by a binary search. Rows up to the returned `before` are
 * older than the time; rows after the returned `from` are not, except for the margin.
 * @param findFrom returns the first row whose id is not below a number.
 */
export async function searchTime(
  findFrom: (id: number) => Promise<{ id: number; at: string } | undefined>,
  { before, from }: { before: number; from: number },
  time: string,
): Promise<{ before: number; from: number }> {
  const range = { before, from }
  while (range.from - range.before > MAX_BOUND_ERROR) {
    const middle = Math.floor((range.before + range.from) / 2)
    const row = await findFrom(middle)
    if (row && row.at < time) range.before = row.id
    else range.from = middle
  }
  return range
}
