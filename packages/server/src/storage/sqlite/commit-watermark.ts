/** How far the write sequence is settled: one connection writes, so whatever is committed is whole. */
import { sql } from 'kysely'
import type { Executor } from '../shared/schema/databases.ts'

/** The last number of the write sequence; what has a number up to it can be seen. */
export async function readCommitWatermark(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`SELECT value FROM write_sequence`.execute(executor)
  return rows[0]?.value ?? 0
}

/** Draws numbers, rising, in a transaction that writes changes under them. */
export async function allocateSequence(transaction: Executor, count: number): Promise<number[]> {
  const { rows } = await sql<{ value: number }>`
    UPDATE write_sequence SET value = value + ${count} RETURNING value
  `.execute(transaction)
  const last = rows[0]?.value ?? 0
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}
