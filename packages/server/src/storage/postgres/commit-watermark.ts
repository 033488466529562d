/**
 * How far the write sequence is settled. Transactions draw their numbers before they commit, and commit
 * in any order: a reader may see n + 1 before n. So each one that draws numbers first takes a shared lock
 * named by the last number given out, all of its own being higher. It is given back once what it has
 * written can be seen. Decision 9 says why this way.
 */
import { sql } from 'kysely'
import type { Executor } from '../shared/schema/databases.ts'
import { IN_FLIGHT_LOCK } from './locks.ts'

const LAST_NUMBER = 'CASE WHEN is_called THEN last_value ELSE 0 END'

/** What a transaction selects from `write_sequence` before it draws numbers. */
export const ACQUIRE_IN_FLIGHT_LOCK = `pg_advisory_xact_lock_shared(${IN_FLIGHT_LOCK},
  (${LAST_NUMBER})::bit(32)::int)`

/**
 * The highest number of the write sequence below which no transaction under way can still write. What
 * has a number up to it is seen by every statement that begins after this one.
 */
export async function readCommitWatermark(executor: Executor): Promise<number> {
  const given = await readLastSequence(executor)
  // Looked at after the last number was read: whoever begins in between draws higher ones.
  const { rows } = await sql<{ held: number }>`
    SELECT objid::bigint AS held FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${sql.lit(IN_FLIGHT_LOCK)} AND objsubid = 2
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  `.execute(executor)
  // A lock's name has room for the low 32 bits of a number, so only their difference counts.
  const behind = rows.map(({ held }) => (given - held) | 0)
  return given - Math.max(0, ...behind)
}

/** The last number that was given out. */
export async function readLastSequence(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`
    SELECT ${sql.raw(LAST_NUMBER)} AS value FROM write_sequence
  `.execute(executor)
  return rows[0]?.value ?? 0
}

/** Draws numbers, rising, in a transaction that writes changes under them. */
export async function allocateSequence(transaction: Executor, count: number): Promise<number[]> {
  await sql`SELECT ${sql.raw(ACQUIRE_IN_FLIGHT_LOCK)} FROM write_sequence`.execute(transaction)
  return allocatePositions(transaction, count)
}

/** Draws numbers, rising, for what the feed of changes does not show, and so need not wait for. */
export async function allocatePositions(transaction: Executor, count: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    SELECT nextval('write_sequence') AS number FROM generate_series(1, ${count}::int)
  `.execute(transaction)
  return rows.map((row) => row.number)
}
