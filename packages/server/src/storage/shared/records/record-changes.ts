import { sql } from 'kysely'
import type { Executor } from '../schema/databases.ts'

/** Tolerance: times follow the write sequence except for concurrent transactions and adjusted clocks. */
const MARGIN_MS = 10 * 60_000
/** The search stops when the remaining range has at most this many numbers. */
const PRECISION = 1000

/**
 * Returns a number of the write sequence below every change since a time; 0 without a time. Binary search: times rise
 * with the sequence.
 */
export async function findChangedFrom(db: Executor, since: string | null): Promise<number> {
  if (since === null) return 0
  const earliest = new Date(Date.parse(since) - MARGIN_MS).toISOString()
  let before = 0
  let from = await findLastChange(db)
  while (from - before > PRECISION) {
    const middle = Math.floor((before + from) / 2)
    const record = await db
      .selectFrom('records')
      .select(['change_seq', 'updated_at'])
      .where('change_seq', '>=', middle)
      .where(sql<boolean>`pushed_seq >= 0`)
      .orderBy('change_seq')
      .limit(1)
      .executeTakeFirst()
    if (record && record.updated_at < earliest) before = record.change_seq
    else from = middle
  }
  return before
}

async function findLastChange(db: Executor): Promise<number> {
  const last = await db
    .selectFrom('records')
    .select('change_seq')
    .where(sql<boolean>`pushed_seq >= 0`)
    .orderBy('change_seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.change_seq ?? 0
}
