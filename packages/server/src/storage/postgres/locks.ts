/**
 * Advisory locks of the hub (https://www.postgresql.org/docs/current/explicit-locking.html): kept in
 * memory, given back at the end of the transaction, and granted in the order they were asked for. Two
 * numbers each; the first one is the hub's own.
 */
import { sql } from 'kysely'
import type { Executor, LockName } from '../shared/schema/databases.ts'

const HUB = 0x5265_6368 // "Rech"

/** Shared by writes of records, held alone by who changes what allows them. */
export const WRITE_AUTHORIZATION_LOCK = `${HUB}, 1`

/** Held alone by who keeps, replays or forgets rejected pushes; after the gates where both are held. */
export const REJECTED_PUSHES_LOCK = `${HUB}, 2`

/** Held alone by who feeds the search index, shared by who deletes records. */
export const SEARCH_INDEX_LOCK = `${HUB}, 5`

/** One for each process, by its name, held by a session of it as long as it lives. */
export const LIVENESS_LOCK = HUB + 1

/** Held, shared, by a transaction that draws numbers of the write sequence: see `commit-watermark.ts`. */
export const IN_FLIGHT_LOCK = HUB + 2

/** Whether nobody holds the lock of a process: it, or its connection to the database, is gone. */
export async function isProcessDead(transaction: Executor, processName: string): Promise<boolean> {
  const { rows } = await sql<{ gone: boolean }>`
    SELECT pg_try_advisory_xact_lock(${sql.lit(LIVENESS_LOCK)}, hashtext(${processName})) AS gone
  `.execute(transaction)
  return rows[0]?.gone ?? false
}

/** Whether no other process than this one, by its name, is at work on the database. */
export async function isOnlyProcess(transaction: Executor, processName: string): Promise<boolean> {
  const { rows } = await sql<{ others: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${sql.lit(LIVENESS_LOCK)} AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND objid::bigint <> (hashtext(${processName})::bigint & 4294967295)
    ) AS others
  `.execute(transaction)
  return !(rows[0]?.others ?? true)
}

const LOCKS: Record<LockName, string> = {
  'write authorization': WRITE_AUTHORIZATION_LOCK,
  'rejected pushes': REJECTED_PUSHES_LOCK,
  'sql views': `${HUB}, 3`,
  removals: `${HUB}, 4`,
  'search index': SEARCH_INDEX_LOCK,
  'view names': `${HUB}, 6`,
  operators: `${HUB}, 7`,
  'login attempts': `${HUB}, 8`,
  secrets: `${HUB}, 9`,
  'push errors': `${HUB}, 10`,
}

export async function acquireLock(transaction: Executor, what: LockName): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.raw(LOCKS[what])})`.execute(transaction)
  // A step goes by keys; planned before the tables are analysed, it would read them whole.
  if (what === 'removals') await sql`SET LOCAL enable_seqscan = off`.execute(transaction)
}

/** Holds it where nobody else does. @returns whether it does. */
export async function tryAcquireLock(transaction: Executor, what: LockName): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    SELECT pg_try_advisory_xact_lock(${sql.raw(LOCKS[what])}) AS held
  `.execute(transaction)
  return rows[0]?.held ?? false
}
