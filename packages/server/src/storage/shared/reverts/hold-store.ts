import type { Hold } from '@recordhub/protocol'
import { sql } from 'kysely'
import { EXISTENCE, MISSING_PATH } from '../../../domain/revert/hold.ts'
import type { HoldFilter, HoldQuery, HoldStore } from '../../port/revert-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { invalidateCachedResponse } from '../records/module-counts.ts'
import { isVisible } from '../records/module-scope.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

/** Maximum number of records whose holds are lifted in one transaction. */
const STEP = 1000
/** Maximum number of paths listed for each hold. */
const MAX_PATHS = 100

/** @param node the name of this process's counter rows. */
export function createHoldStore({ reader, writer, clock }: Databases, node: string): HoldStore {
  return {
    listHolds: (query) => listHolds(reader, query),

    async summarizeHolds(filter = ALL) {
      const row = await selectHolds(reader, filter)
        .select((eb) => [
          eb.fn.count<number>('h.record_id').distinct().as('records'),
          eb.fn.min<string | null>('h.at').as('oldest_since'),
        ])
        .executeTakeFirstOrThrow()
      return { records: Number(row.records), oldest_since: row.oldest_since }
    },

    async liftHolds(scope, log) {
      let lifted = 0
      for (;;) {
        const step = await writer.transaction().execute((db) => liftSome(db, scope, node))
        lifted += step
        if (step < STEP) break
      }
      await writer.transaction().execute((db) => insertLog(db, nowText(clock), log))
      return lifted
    },
  }
}

type HoldScope = Parameters<HoldStore['liftHolds']>[0]

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
  for (const module of [...modules.values()].sort(
    (one, other) => one.module_id - other.module_id,
  )) {
    await invalidateCachedResponse(db, module, node)
  }
  return rows.length
}

const ALL: HoldFilter = { platform: null, record_type: null, record_id: null, revert_id: null }

/** The holds of visible records. */
function selectHolds(db: Executor, filter: HoldFilter) {
  const { platform, record_type, record_id, revert_id } = filter
  let select = db
    .selectFrom('holds as h')
    .innerJoin('records as r', 'r.record_id', 'h.record_id')
    .innerJoin('modules as m', 'm.module_id', 'r.module_id')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .where(isVisible('r'))
  if (platform !== null) select = select.where('p.platform_name', '=', platform)
  if (record_type !== null) select = select.where('m.record_type', '=', record_type)
  if (record_id !== null) select = select.where('h.record_id', '=', record_id)
  if (revert_id !== null) select = select.where('h.revert_id', '=', revert_id)
  return select
}

async function listHolds(db: Executor, { limit, after, ...filter }: HoldQuery): Promise<Hold[]> {
  let select = selectHolds(db, filter)
    .select([
      ...(['h.record_id', 'h.revert_id', 'p.platform_name', 'm.record_type'] as const),
      ...(['m.module_name', 'r.reference_number', 'r.full_name', 'h.at as since'] as const),
    ])
    .distinct()
  if (after) {
    select = select.where(
      sql<boolean>`(h.record_id, h.revert_id) > (${after.record_id}, ${after.revert_id})`,
    )
  }
  const rows = await select.orderBy('h.record_id').orderBy('h.revert_id').limit(limit).execute()
  const holds: Hold[] = []
  for (const row of rows) holds.push({ ...row, ...(await readPaths(db, row)) })
  return holds
}

async function readPaths(
  db: Executor,
  { record_id, revert_id }: { record_id: number; revert_id: number },
): Promise<Pick<Hold, 'holds' | 'paths'>> {
  const rows = await db
    .selectFrom('holds')
    .select('path')
    .where((eb) => eb.and({ record_id, revert_id }))
    .orderBy('path')
    .limit(MAX_PATHS)
    .execute()
  const all = rows.map((row) => row.path)
  const paths = all.filter((path) => path !== EXISTENCE && path !== MISSING_PATH)
  if (all.includes(EXISTENCE)) return { holds: 'existence', paths }
  return { holds: paths.length > 0 ? 'values' : 'absence', paths }
}
