/**
 * The commit watermark: the number of the write sequence that readers may follow up to. Transactions allocate their
 * numbers before they commit, and commit in any order, so a reader may see n + 1 before n. Therefore a transaction
 * that allocates numbers first acquires a shared lock named by the last number allocated; its own numbers are higher.
 * PostgreSQL releases the lock once the transaction's rows are visible. docs/decisions/0009-change-feed.md has the reasons.
 */
import { sql } from 'kysely'
import type { Executor } from '../shared/schema/databases.ts'
import { IN_FLIGHT_LOCK } from './locks.ts'

const LAST_NUMBER = 'CASE WHEN is_called THEN last_value ELSE 0 END'

/** A transaction selects this from `write_sequence` before it allocates numbers. */
export const ACQUIRE_IN_FLIGHT_LOCK = `pg_advisory_xact_lock_shared(${IN_FLIGHT_LOCK},
  (${LAST_NUMBER})::bit(32)::int)`

/**
 * Returns the commit watermark: no transaction in flight can still write a number up to it. Every later statement
 * sees all changes up to it.
 */
export async function readCommitWatermark(executor: Executor): Promise<number> {
  const last = await readLastSequence(executor)
  // The locks are read after the last number: a transaction that begins in between allocates higher numbers.
  const { rows } = await sql<{ locked: number }>`
    SELECT objid::bigint AS locked FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${sql.lit(IN_FLIGHT_LOCK)} AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  `.execute(executor)
  // The name of a lock has the low 32 bits of a number, so only the difference is meaningful.
  const behind = rows.map(({ locked }) => (last - locked) | 0)
  return last - Math.max(0, ...behind)
}

/** Returns the last number that was allocated. */
export async function readLastSequence(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`
    SELECT ${sql.raw(LAST_NUMBER)} AS value FROM write_sequence
  `.execute(executor)
  return rows[0]?.value ?? 0
}

/** Allocates rising numbers for changes that the transaction writes. */
export async function allocateSequence(transaction: Executor, count: number): Promise<number[]> {
  await sql`SELECT ${sql.raw(ACQUIRE_IN_FLIGHT_LOCK)} FROM write_sequence`.execute(transaction)
  return allocatePositions(transaction, count)
}

/** Allocates rising numbers for positions that the feed of changes does not show, so the watermark ignores them. */
export async function allocatePositions(transaction: Executor, count: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    SELECT nextval('write_sequence') AS number FROM generate_series(1, ${count}::int)
  `.execute(transaction)
  return rows.map((row) => row.number)
}
