import type { MissingReview } from '@recordhub/protocol'
import { type RawBuilder, sql } from 'kysely'
import { canBeMissing, type LastPush, type OpenReview } from '../../../domain/pull/missing.ts'
import { MISSING_PATH } from '../../../domain/revert/hold.ts'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type {
  AbsentRecord,
  MarkOutcome,
  MissingBatch,
  MissingStore,
  RecordRef,
} from '../../port/missing-store.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import { insertActivity, insertLog } from '../activity/activity-rows.ts'
import type { ChangePublisher } from '../publish-commits.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { findRow } from '../schema/rows.ts'

/** Records of a review that one query looks up, during which pushes wait. */
const REVIEWED_STEP = 500

/** The functions of missing records that differ between engines. */
export type MissingDialect = {
  /** Returns a subquery of these ids. Its SQL text does not depend on their number. */
  idList: (ids: number[]) => RawBuilder<number>
  /** Marks records as missing, without Kysely. The caller publishes the change. */
  markMissing: (batch: MissingBatch & { at: string }) => Promise<MarkOutcome>
  publish: ChangePublisher['publish']
}

export function createMissingStore(databases: Databases, dialect: MissingDialect): MissingStore {
  const { reader, writer, clock } = databases
  return {
    countUnmarked: (module) => countUnmarked(reader, module),

    async wasRevertedSince(at) {
      const revert = await reader
        .selectFrom('reverts')
        .select('revert_id')
        .where('started_at', 'is not', null)
        .where((eb) => eb.or([eb('finished_at', 'is', null), eb('finished_at', '>=', at)]))
        .limit(1)
        .executeTakeFirst()
      return revert !== undefined
    },

    async listMissing({ platform_id, module_id, isPresent, limit, after, ...read }) {
      let select = reader
        .selectFrom('records')
        .select(['record_id', 'reference_number'])
        .where((eb) => eb.and({ platform_id, module_id }))
      if (after !== null) select = select.where('reference_number', '>', after)
      const page = await select.orderBy('reference_number').limit(limit).execute()
      const absent = page.filter((record) => !isPresent(record))
      const unmarked = await findUnmarked(reader, absent, dialect.idList)
      const isHeld = ({ record_id }: RecordRef) => unmarked.get(record_id)?.is_held === true
      const isUndecided = ({ record_id }: RecordRef) => {
        const pushed = unmarked.get(record_id)
        return pushed !== undefined && !pushed.is_held && !canBeMissing(pushed, read)
      }
      const undecided = absent.filter(isUndecided)
      const isPushedBefore = ({ record_id }: RecordRef) =>
        (unmarked.get(record_id)?.pushed_seq ?? 0) <= read.snapshotSeq
      const stored = absent.flatMap((record) => {
        const row = unmarked.get(record.record_id)
        return row ? [{ ...record, version: row.version }] : []
      })
      return {
        missing: stored.filter((record) => !isHeld(record) && !isUndecided(record)),
        undecided: undecided.length,
        held: stored.filter(isHeld),
        pushedBefore: undecided.filter(isPushedBefore).length,
        next: page.length < limit ? null : (page.at(-1)?.reference_number ?? null),
      }
    },

    async findPresent({ platform_id, module_id }, references) {
      if (references.length === 0) return []
      return reader
        .selectFrom('records')
        .select(['record_id', 'reference_number', 'version'])
        .where((eb) => eb.and({ platform_id, module_id }))
        .where('reference_number', 'in', references)
        .where('missing_since', 'is', null)
        .execute()
    },

    async listReviewed(reviewId) {
      const review = await findRow(reader, 'missing_reviews', { missing_review_id: reviewId }, [
        'record_ids',
      ])
      const ids: number[] = JSON.parse(review?.record_ids ?? '[]')
      const found: (AbsentRecord & LastPush)[] = []
      for (let start = 0; start < ids.length; start += REVIEWED_STEP) {
        const listed = ids.slice(start, start + REVIEWED_STEP).map((record_id) => ({ record_id }))
        for (const record of (await findUnmarked(reader, listed, dialect.idList)).values()) {
          const { is_held, ...absent } = record
          if (!is_held) found.push(absent)
        }
        await yieldToEventLoop()
      }
      return found.sort((one, other) => one.record_id - other.record_id)
    },

    async markMissing(batch) {
      if (batch.records.length === 0) return { outcome: 'marked', marked: 0 }
      const outcome = await dialect.markMissing({ ...batch, at: nowText(clock) })
      if (outcome.outcome === 'marked' && outcome.marked > 0) dialect.publish('records')
      return outcome
    },

    async readMissingState({ module_id }) {
      const stored = await reader
        .selectFrom('missing_candidates')
        .select('record_ids')
        .where('module_id', '=', module_id)
        .executeTakeFirst()
      return {
        review: await findOpenReview(reader, module_id),
        candidates: stored ? JSON.parse(stored.record_ids) : null,
      }
    },

    createReview: ({ record_ids, ...review }, replaces, activity) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        if (replaces) {
          const closed = await db
            .updateTable('missing_reviews')
            .set({ state: 'superseded', closed_at: at })
            .where((eb) => eb.and({ missing_review_id: replaces.review_id, state: replaces.state }))
            .executeTakeFirst()
          if (closed.numUpdatedRows === 0n) return
        }
        const created = await db
          .insertInto('missing_reviews')
          .values({
            ...review,
            record_ids: JSON.stringify(record_ids),
            state: 'pending',
            at,
            decided_at: null,
            decided_by: null,
            closed_at: null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning('missing_review_id')
          .executeTakeFirst()
        if (created) await insertActivity(db, at, activity)
      }),

    async updateReview(reviewId, { missing, records, fingerprint, pull_id, record_ids }) {
      await writer
        .updateTable('missing_reviews')
        .set({
          ...{ missing, records, fingerprint, pull_id, at: nowText(clock) },
          record_ids: JSON.stringify(record_ids),
        })
        .where((eb) => eb.and({ missing_review_id: reviewId, state: 'pending' }))
        .execute()
    },

    closeReview: (reviewId, state, activity) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const closed = await db
          .updateTable('missing_reviews')
          .set({ state, closed_at: at })
          .where('missing_review_id', '=', reviewId)
          .where('closed_at', 'is', null)
          .executeTakeFirst()
        if (closed.numUpdatedRows > 0n) await insertActivity(db, at, activity)
      }),

    async saveCandidates({ platform_id, module_id }, recordIds) {
      const record_ids = JSON.stringify(recordIds)
      const stored = await reader
        .selectFrom('missing_candidates')
        .select('record_ids')
        .where('module_id', '=', module_id)
        .executeTakeFirst()
      if (record_ids === (stored?.record_ids ?? '[]')) return
      if (recordIds.length === 0) {
        await writer.deleteFrom('missing_candidates').where('module_id', '=', module_id).execute()
        return
      }
      await writer
        .insertInto('missing_candidates')
        .values({ platform_id, module_id, record_ids })
        .onConflict((conflict) => conflict.column('module_id').doUpdateSet({ record_ids }))
        .execute()
    },

    async listReviews({ state, platform, record_type, limit, before }) {
      let select = selectReviews(reader)
      if (state !== null) select = select.where('v.state', '=', state)
      if (platform != null) select = select.where('p.platform_name', '=', platform)
      if (record_type != null) select = select.where('m.record_type', '=', record_type)
      if (before !== null) select = select.where('v.missing_review_id', '<', before)
      return select.orderBy('v.missing_review_id', 'desc').limit(limit).execute()
    },

    readReview: (reviewId) => findReview(reader, reviewId),

    decideReview: ({ review_id, state, by, at }, log) =>
      writer.transaction().execute(async (db) => {
        const decided = await db
          .updateTable('missing_reviews')
          .set({ state, decided_at: at, decided_by: by })
          .where('missing_review_id', '=', review_id)
          .where('closed_at', 'is', null)
          .where('state', '!=', state)
          .executeTakeFirst()
        if (decided.numUpdatedRows > 0n) await insertLog(db, at, log)
        return findReview(db, review_id)
      }),
  }
}

/**
 * Counts the records of a module that are marked as missing. With the condition of `record_id`, SQLite prefers the index that
 * contains only these to another index of the module, and does not read all its records.
 */
export function countMarked(
  platform_id: RawBuilder<unknown>,
  module_id: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql`(SELECT count(*) FROM records marked WHERE marked.platform_id = ${platform_id}
    AND marked.module_id = ${module_id} AND marked.missing_since IS NOT NULL AND marked.record_id > 0)`
}

/** Subtracts the marked records from the counters in one statement, so that both belong to the same moment. */
export async function countUnmarked(
  db: Executor,
  { platform_id, module_id }: ModuleRef,
): Promise<number> {
  const counted = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('module_counters')
        .select((inner) => inner.fn.sum<number | null>('records').as('n'))
        .where((eb) => eb.and({ platform_id, module_id }))
        .as('records'),
      countMarked(sql`${platform_id}`, sql`${module_id}`).as('marked'),
    ])
    .executeTakeFirst()
  return Number(counted?.records ?? 0) - Number(counted?.marked ?? 0)
}

/** Reads the rows of absent records only. `listMissing` reads all other records from an index. */
async function findUnmarked(
  db: Executor,
  records: { record_id: number }[],
  idList: MissingDialect['idList'],
): Promise<Map<number, AbsentRecord & LastPush & { is_held: boolean }>> {
  if (records.length === 0) return new Map()
  const rows = await db
    .selectFrom('records')
    .select((eb) => [
      ...(['record_id', 'reference_number', 'pushed_seq', 'pushed_at', 'version'] as const),
      eb
        .selectFrom('holds as h')
        .select((inner) => inner.fn.countAll<number>().as('n'))
        .whereRef('h.record_id', '=', 'records.record_id')
        .where('h.path', '=', MISSING_PATH)
        .as('holds'),
    ])
    .where('record_id', 'in', idList(records.map((record) => record.record_id)))
    .where('missing_since', 'is', null)
    .execute()
  return new Map(
    rows.map(({ holds, ...row }) => [row.record_id, { ...row, is_held: Number(holds) > 0 }]),
  )
}

/** Returns the review of a module that is not closed; null if there is none. */
export async function findOpenReview(db: Executor, moduleId: number): Promise<OpenReview | null> {
  const row = await db
    .selectFrom('missing_reviews')
    .select(['missing_review_id as review_id', 'state', 'missing', 'records', 'fingerprint'])
    .where('module_id', '=', moduleId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { state } = row
  if (state !== 'pending' && state !== 'approved' && state !== 'dismissed') {
    throw new Error(`An open review has the state ${state}`)
  }
  return { ...row, state }
}

function selectReviews(db: Executor) {
  return db
    .selectFrom('missing_reviews as v')
    .innerJoin('platforms as p', 'p.platform_id', 'v.platform_id')
    .innerJoin('modules as m', 'm.module_id', 'v.module_id')
    .select([
      'v.missing_review_id as id',
      'p.platform_name',
      'm.module_name',
      'm.record_type',
      'v.state',
      'v.missing',
      'v.records',
      'v.pull_id',
      'v.at',
      'v.decided_at',
      'v.decided_by',
      'v.closed_at',
    ])
}

async function findReview(db: Executor, reviewId: number): Promise<MissingReview | null> {
  const row = await selectReviews(db).where('v.missing_review_id', '=', reviewId).executeTakeFirst()
  return row ?? null
}
