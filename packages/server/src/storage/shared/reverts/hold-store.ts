import type { Hold } from '@recordhub/protocol'
import { sql } from 'kysely'
import { EXISTENCE, MISSING_PATH } from '../../../domain/revert/hold.ts'
import type { HoldFilter, HoldQuery, HoldStore, RunningRevert } from '../../port/revert-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { invalidateCachedResponse } from '../records/module-counts.ts'
import { isVisible } from '../records/module-scope.ts'
import { endExplanations } from '../records/remembered-buckets.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { ownedBy } from './revert-rows.ts'

/** Maximum number of records whose holds are lifted in one transaction. */
const STEP = 1000
/** Maximum number of paths listed for each hold. */
const MAX_PATHS = 100

/** @param node the name of this process's counter rows. */
export function createHoldStore({ reader, writer, clock }: Databases, node: string): HoldStore {
  return {
    listHolds: (query) => listHolds(reader, query),

    async summarizeHolds({ until = null, ...filter } = {}) {
      let held = selectHolds(reader, filter)
        .select((eb) => ['h.record_id', eb.fn.min('h.at').as('since')])
        .groupBy('h.record_id')
      if (until !== null) held = held.where('h.at', '<=', until)
      const row = await reader
        .selectFrom(held.as('held'))
        .select((eb) => [
          eb.fn.countAll<number>().as('records'),
          eb.fn.min<string | null>('since').as('oldest_since'),
        ])
        .executeTakeFirstOrThrow()
      return { records: Number(row.records), oldest_since: row.oldest_since }
    },

    async liftHolds(scope, log, by) {
      let lifted = 0
      for (;;) {
        const step = await writer
          .transaction()
          .execute(async (db) => (by && !(await isRunning(db, by)) ? 0 : liftSome(db, scope, node)))
        lifted += step
        if (step < STEP) break
      }
      if (lifted > 0) await writer.transaction().execute((db) => insertLog(db, nowText(clock), log))
      return lifted
    },
  }
}

type HoldScope = Parameters<HoldStore['liftHolds']>[0]

/** Also keeps others from ending the revert before the end of the transaction. */
async function isRunning(db: Executor, { revert_id, owner }: RunningRevert): Promise<boolean> {
  const { numUpdatedRows } = await ownedBy(db, revert_id, owner)
    .set({ lease_owner: owner })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lifts the holds of some records. @returns their number. */
async function liftSome(db: Executor, scope: HoldScope, node: string): Promise<number> {
  const rows = await db
    .selectFrom('holds')
    .select(['record_id', 'platform_id', 'module_id'])
    .distinct()
    .where((eb) => eb.and(scope))
    .orderBy('record_id')
    .limit(STEP)
    .execute()
  if (rows.length === 0) return 0
  await db
    .deleteFrom('holds')
    .where((eb) => eb.and(scope))
    .where(
      'record_id',
      'in',
      rows.map((row) => row.record_id),
    )
    .execute()
  const modules = new Map(rows.map((row) => [row.module_id, row]))
  // Before the counters, as every write that lifts a hold.
  await endExplanations(db, [...modules.keys()])
  for (const module of [...modules.values()].sort(
    (one, other) => one.module_id - other.module_id,
  )) {
    await invalidateCachedResponse(db, module, node)
  }
  return rows.length
}

/** Selects holds of visible records from their own table alone. */
function selectHolds(
  db: Executor,
  { platform = null, record_type = null, record_id = null, revert_id = null }: Partial<HoldFilter>,
) {
  let select = db.selectFrom('holds as h').where(isVisible('h'))
  if (platform !== null) {
    select = select.where('h.platform_id', 'in', (eb) =>
      eb.selectFrom('platforms').select('platform_id').where('platform_name', '=', platform),
    )
  }
  if (record_type !== null) {
    select = select.where('h.module_id', 'in', (eb) =>
      eb.selectFrom('modules').select('module_id').where('record_type', '=', record_type),
    )
  }
  if (record_id !== null) select = select.where('h.record_id', '=', record_id)
  if (revert_id !== null) select = select.where('h.revert_id', '=', revert_id)
  return select
}

async function listHolds(db: Executor, { limit, after, ...filter }: HoldQuery): Promise<Hold[]> {
  let select = selectHolds(db, filter)
  if (after) {
    select = select.where(
      sql<boolean>`(h.record_id, h.revert_id) > (${after.record_id}, ${after.revert_id})`,
    )
  }
  const page = select
    .select((eb) => ['h.record_id', 'h.revert_id', eb.fn.min('h.at').as('since')])
    .groupBy(['h.record_id', 'h.revert_id'])
    .orderBy('h.record_id')
    .orderBy('h.revert_id')
    .limit(limit)
  const rows = await db
    .selectFrom(page.as('g'))
    .innerJoin('records as r', 'r.record_id', 'g.record_id')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .select([
      ...(['g.record_id', 'g.revert_id', 'p.platform_name', 'm.record_type'] as const),
      ...(['m.module_name', 'r.reference_number', 'r.full_name', 'g.since'] as const),
    ])
    .orderBy('g.record_id')
    .orderBy('g.revert_id')
    .execute()
  if (rows.length === 0) return []
  const paths = Map.groupBy(await readPaths(db, rows), nameOf)
  return rows.map((row) => ({
    ...row,
    ...describePaths((paths.get(nameOf(row)) ?? []).map(({ path }) => path)),
  }))
}

type HoldName = { record_id: number; revert_id: number }

const nameOf = ({ record_id, revert_id }: HoldName) => `${record_id} ${revert_id}`

/** The first paths of each of these holds, in their order. */
async function readPaths(
  db: Executor,
  holds: HoldName[],
): Promise<(HoldName & { path: string })[]> {
  const ids = sql.join([...new Set(holds.map(({ record_id }) => record_id))])
  const { rows } = await sql<HoldName & { path: string }>`
    SELECT record_id, revert_id, path FROM (
      SELECT record_id, revert_id, path, row_number()
        OVER (PARTITION BY record_id, revert_id ORDER BY path) AS position
      FROM holds WHERE record_id IN (${ids})) AS numbered
    WHERE position <= ${sql.lit(MAX_PATHS)} ORDER BY record_id, revert_id, position`.execute(db)
  return rows
}

function describePaths(all: string[]): Pick<Hold, 'holds' | 'paths'> {
  const paths = all.filter((path) => path !== EXISTENCE && path !== MISSING_PATH)
  if (all.includes(EXISTENCE)) return { holds: 'existence', paths }
  return { holds: paths.length > 0 ? 'values' : 'absence', paths }
}
