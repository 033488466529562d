/** Looks up the names, times and reviews of a list's query in the database. */
import type { RecordQuery } from '../../port/record-list-store.ts'
import { readScope } from '../records/module-scope.ts'
import { IN_LIST_INDEX } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import type { ResolvedQuery } from './record-scan.ts'

export async function resolveQuery(db: Executor, query: RecordQuery): Promise<ResolvedQuery> {
  const { changed_since, missing_review } = query
  return {
    query,
    scope: query.scope ?? (await readScope(db, query)),
    minChangeSeq: await findMinChangeSeq(db, changed_since),
    reviewedIds: missing_review === null ? null : await readReviewedIds(db, missing_review),
  }
}

/** Returns no ids if the review does not exist. */
async function readReviewedIds(db: Executor, reviewId: number): Promise<number[]> {
  const row = await db
    .selectFrom('missing_reviews')
    .select('record_ids')
    .where('missing_review_id', '=', reviewId)
    .executeTakeFirst()
  return row ? JSON.parse(row.record_ids) : []
}

/** The tolerance: times rise with the write sequence, except for concurrent transactions and adjusted clocks. */
const MARGIN_MS = 10 * 60_000
/** The search ends when the remaining range has at most this many numbers. */
const PRECISION = 1000

/**
 * Returns a number of the write sequence below every change since a time; 0 without a time. A binary search finds it,
 * because times rise with the sequence.
 */
async function findMinChangeSeq(db: Executor, since: string | null): Promise<number> {
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
      .where(IN_LIST_INDEX)
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
    .where(IN_LIST_INDEX)
    .orderBy('change_seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.change_seq ?? 0
}
