/**
 * The hub's advisory locks (https://www.postgresql.org/docs/current/explicit-locking.html). They are held in memory,
 * released at the end of the transaction, and granted in the order of the requests. A lock is named by two numbers;
 * the first is the hub's own.
 */
import { sql } from 'kysely'
import type { Executor, LockName } from '../shared/schema/databases.ts'

const HUB = 0x5265_6368 // "Rech"

/** Writes of records share it. A transaction that changes the authorization of writes acquires it exclusively. */
export const WRITE_AUTHORIZATION_LOCK = `${HUB}, 1`

/** For saving, replaying and deleting rejected pushes. It is acquired after the write authorization lock. */
export const REJECTED_PUSHES_LOCK = `${HUB}, 2`

/** For writing the text index and the indexes of fields, and for deleting from them; taken in this order. */
export const TEXT_INDEX_LOCK = `${HUB}, 11`
export const FIELD_INDEX_LOCK = `${HUB}, 5`

/** A session of the node that upgrades the database holds it. */
export const UPGRADE_LOCK = `${HUB}, 13`

/** First number of the locks that prove that a process is alive. A session of each process holds the lock of its name. */
export const LIVENESS_LOCK = HUB + 1

/** First number of the locks of transactions that allocate sequence numbers: see `commit-watermark.ts`. */
export const IN_FLIGHT_LOCK = HUB + 2

/** Whether a process, or its connection to the database, has ended: its lock is free. */
export async function isProcessDead(transaction: Executor, processName: string): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`
    SELECT pg_try_advisory_xact_lock(${sql.lit(LIVENESS_LOCK)}, hashtext(${processName})) AS is_free
  `.execute(transaction)
  return rows[0]?.is_free ?? false
}

/** Whether the named process is the only one on the database. */
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
  'text index': TEXT_INDEX_LOCK,
  'field index': FIELD_INDEX_LOCK,
  'view names': `${HUB}, 6`,
  'platform names': `${HUB}, 14`,
  operators: `${HUB}, 7`,
  'login attempts': `${HUB}, 8`,
  secrets: `${HUB}, 9`,
  'push errors': `${HUB}, 10`,
  counters: `${HUB}, 12`,
  'request log': `${HUB}, 15`,
  settings: `${HUB}, 16`,
}

/** Waits for a lock and holds it until the transaction ends. */
export async function acquireLock(transaction: Executor, name: LockName): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${sql.raw(LOCKS[name])})`.execute(transaction)
  // Deletion steps find rows by key. A plan made before the tables are analysed would scan them.
  if (name === 'removals') await sql`SET LOCAL enable_seqscan = off`.execute(transaction)
}

/** Acquires a lock if it is free. Returns whether it did. */
export async function tryAcquireLock(transaction: Executor, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ acquired: boolean }>`
    SELECT pg_try_advisory_xact_lock(${sql.raw(LOCKS[name])}) AS acquired
  `.execute(transaction)
  return rows[0]?.acquired ?? false
}
