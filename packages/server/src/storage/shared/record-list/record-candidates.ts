/**
 * Records among which all that a filter finds are, where an index knows so few that looking at each
 * costs less than going through the list.
 */
import { type RawBuilder, sql } from 'kysely'
import { isDataColumn } from '../../../domain/record/record-query.ts'
import type { SearchTerms } from '../../../domain/search/search-text.ts'
import type { RecordQuery } from '../../port/record-list-store.ts'
import type { ModuleScope } from '../records/module-scope.ts'
import { LIGHT_COLUMNS, type SelectedRecord, selectRecords } from '../records/record-rows.ts'
import type { Executor } from '../schema/databases.ts'
import { findByCondition } from './record-index.ts'

/** What an engine does its own way. */
export type CandidateParts = {
  /** A subquery that gives these ids, however many, under one text. */
  idList: (ids: number[]) => RawBuilder<number>
  /**
   * Ids of records that may hold the terms, at most so many: every one that does is among them, as far
   * as the index of texts goes. Null where the index cannot tell.
   */
  findByText: (terms: SearchTerms, limit: number) => Promise<number[] | null>
}

const MAX_CANDIDATES = 10_000

export type Sought = {
  query: RecordQuery
  places: ModuleScope
  least_change_seq: number
  reviewed: number[] | null
}

/** @returns null where no index knows them, or too many. */
export async function findCandidates(
  db: Executor,
  parts: CandidateParts,
  { query, places, least_change_seq, reviewed }: Sought,
): Promise<number[] | null> {
  const limit = MAX_CANDIDATES + 1
  const few = (ids: number[] | null) => (ids !== null && ids.length < limit ? ids : null)
  if (query.reference_number !== null) {
    const ids = few(await findByReference(db, query.reference_number, limit))
    if (ids) return ids
  }
  if (query.search !== null) {
    const ids = few(await parts.findByText(query.search, limit))
    if (ids) return ids
  }
  for (const condition of query.conditions) {
    const ids = few(await findByCondition(db, places, condition, limit))
    if (ids) return ids
  }
  if (few(reviewed)) return reviewed
  if (query.missing === true) {
    const ids = few(await findByMark(db, sql`missing_since IS NOT NULL`, limit))
    if (ids) return ids
  }
  if (query.incomplete === true) {
    const ids = few(await findByMark(db, sql`incomplete = 1`, limit))
    if (ids) return ids
  }
  if (least_change_seq > 0) {
    const since = sql`change_seq >= ${least_change_seq} AND pushed_seq >= 0`
    return few(await findByMark(db, since, limit))
  }
  return null
}

/** What is needed of candidates to bring them into order; those of other modules are left out. */
export async function readCandidates(
  db: Executor,
  { idList }: CandidateParts,
  ids: number[],
  { query, places }: Sought,
): Promise<SelectedRecord[]> {
  if (ids.length === 0) return []
  let select = selectRecords(db).where('r.record_id', 'in', idList(ids))
  if (!places.all) {
    const moduleIds = idList(places.places.map((place) => place.module_id))
    select = select.where('r.module_id', 'in', moduleIds)
  }
  // The data is most of a record, and most candidates are on other pages.
  if (!isDataColumn(query.sort)) {
    const light = sql<string>`'{}'`.as('data')
    return select
      .clearSelect()
      .select([...LIGHT_COLUMNS])
      .select(light)
      .execute()
  }
  return select.execute()
}

/** The records that a review of missing records is about; none where there is no such review. */
export async function readReviewedIds(db: Executor, reviewId: number): Promise<number[]> {
  const row = await db
    .selectFrom('missing_reviews')
    .select('record_ids')
    .where('missing_review_id', '=', reviewId)
    .executeTakeFirst()
  return row ? JSON.parse(row.record_ids) : []
}

async function findByReference(db: Executor, reference: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('modules as m')
    .innerJoin('records as r', (join) =>
      join
        .onRef('r.platform_id', '=', 'm.platform_id')
        .onRef('r.module_id', '=', 'm.module_id')
        .on('r.reference_number', '=', reference),
    )
    .select('r.record_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.record_id)
}

/** By an index of its own. */
async function findByMark(
  db: Executor,
  mark: RawBuilder<unknown>,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('records')
    .select('record_id')
    .where(sql<boolean>`${mark}`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.record_id)
}
