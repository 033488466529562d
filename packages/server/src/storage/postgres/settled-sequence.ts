import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Executor } from '../portable/databases.ts'
import { WRITE_GATES_LOCK } from './locks.ts'

const PAUSE_MS = 5
const MAX_PAUSES = 200

/**
 * A number of the write sequence that no transaction under way can still write at or below, so that whoever
 * reads up to it misses nothing. Waits for the writes of records that are under way when it is called; 0
 * where one of them does not end within a second.
 *
 * Numbers are drawn from a sequence, which follows no order of commits: a write may commit number 8 while
 * another one still holds 7. But each draws its numbers while it holds the write gates, shared, and gives
 * them back with its end. So when those who hold them after the last number is read have ended, every
 * number up to it is committed or lost.
 */
export async function settledSequence(executor: Executor): Promise<number> {
  const { rows } = await sql<{ value: number }>`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS value FROM write_sequence
  `.execute(executor)
  let writing = await listWriters(executor)
  for (let pauses = 0; writing.size > 0; pauses++) {
    if (pauses === MAX_PAUSES) return 0
    await sleep(PAUSE_MS)
    writing = writing.intersection(await listWriters(executor))
  }
  return rows[0]?.value ?? 0
}

/** The transactions that hold the write gates, by the names that the server gives them. */
async function listWriters(executor: Executor): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT virtualtransaction AS name FROM pg_locks
    WHERE locktype = 'advisory' AND (classid, objid, objsubid) = (${sql.raw(WRITE_GATES_LOCK)}, 2)
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND mode = 'ShareLock' AND granted
  `.execute(executor)
  return new Set(rows.map((row) => row.name))
}
