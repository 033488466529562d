import { sql } from 'kysely'
import type { Executor } from '../schema/databases.ts'

/** Times follow the write sequence but for transactions side by side and clocks that are set. */
const MARGIN_MS = 10 * 60_000
/** So many records are looked at as soon as a better bound is found. */
const NEAR = 1000

/**
 * A number of the write sequence that every change since a time is beyond; 0 where there is no time. The times
 * rise with the sequence, so it is found by halving.
 */
export async function findChangedFrom(db: Executor, since: string | null): Promise<number> {
  if (since === null) return 0
  const earliest = new Date(Date.parse(since) - MARGIN_MS).toISOString()
  let before = 0
  let from = await findLastChange(db)
  while (from - before > NEAR) {
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
