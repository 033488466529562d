/** The commit watermark on SQLite: one connection writes, so there are no other transactions in flight. */
import { sql } from 'kysely'
import type { Executor } from '../shared/schema/databases.ts'

/** Returns the last number of the write sequence; all changes up to it are visible. */
export async function readCommitWatermark(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`SELECT value FROM write_sequence`.execute(executor)
  return rows[0]?.value ?? 0
}

/** Allocates rising numbers for changes that the transaction writes. */
export async function allocateSequence(transaction: Executor, count: number): Promise<number[]> {
  const { rows } = await sql<{ value: number }>`
    UPDATE write_sequence SET value = value + ${count} RETURNING value
  `.execute(transaction)
  const last = rows[0]?.value ?? 0
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}
