import { sql } from 'kysely'
import type { Lease } from '../../port/pull-store.ts'
import type { ResolvedScope, RevertResult, RevertStore } from '../../port/revert-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { selectModuleRefs } from '../records/module-scope.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { deleteOldPlans } from './delete-reverts.ts'
import { listRevertRecords } from './revert-records.ts'
import { findRevert, ownedBy, PLAN_HOURS, selectReverts, toRevert } from './revert-rows.ts'
import { type DecisionRows, type SelectByIds, splitSteps } from './scope-history.ts'
import { listScope, readScopeOutlines, readScopeRecords } from './scope-records.ts'

type RevertDialect = {
  /** Whether no other process can use the database: a revert that another one ran is abandoned. */
  isOnlyProcess: boolean
  decisionRows: DecisionRows
  selectByIds: SelectByIds
}

export function createRevertStore(
  databases: Databases,
  { isOnlyProcess, decisionRows, selectByIds }: RevertDialect,
): RevertStore {
  const { reader, writer, withoutFsync, clock, transact } = databases

  /** @param of `done`: of a revert that ends, whose other records stay as they are. */
  async function countOutcomes(db: Executor, revertId: number, of: 'all' | 'done' = 'all') {
    const rows = await db
      .selectFrom('revert_records')
      .select((eb) => ['outcome', 'done', eb.fn.countAll<number>().as('n')])
      .select((eb) => eb.fn.sum<number | null>('held').as('held'))
      .where('revert_id', '=', revertId)
      .groupBy(['outcome', 'done'])
      .execute()
    const counts = { total: 0, reverted: 0, kept: 0, impossible: 0, done: 0, held: 0 }
    for (const { outcome, done, n, held } of rows) {
      counts.total += Number(n)
      if (of === 'all' || done === 1) counts[outcome] += Number(n)
      counts.held += Number(held ?? 0)
      if (done === 1) counts.done += Number(n)
    }
    return counts
  }

  return {
    findModules(names, pullId) {
      const select = selectModuleRefs(reader, names)
      if (pullId === null) return select.execute()
      const tasks = reader.selectFrom('pull_tasks').select('module_id')
      return select.where('m.module_id', 'in', tasks.where('pull_id', '=', pullId)).execute()
    },

    async createRevert({ scope, resolved, makes_holds, ...revert }) {
      const { revert_id } = await writer
        .insertInto('reverts')
        .values({
          ...revert,
          state: 'planned',
          scope: JSON.stringify(scope),
          resolved_scope: JSON.stringify(resolved),
          makes_holds: makes_holds ? 1 : 0,
          pull_id: resolved.kind === 'pull' ? resolved.pull_id : null,
          reverts_id: resolved.kind === 'revert' ? resolved.revert_id : null,
          created_at: nowText(clock),
          planned_at: null,
          started_by: null,
          started_at: null,
          finished_at: null,
          error: null,
          lease_owner: null,
          lease_until: null,
        })
        .returning('revert_id')
        .executeTakeFirstOrThrow()
      return revert_id
    },

    listScope: (scope, after, limit) => listScope(reader, scope, after, limit),

    readScopeRecords: (scope, ids) => readScopeRecords(reader, scope, ids, selectByIds),

    readScopeOutlines: (scope, ids) => readScopeOutlines(reader, scope, ids, selectByIds),

    splitSteps: (ids, maxBytes) => splitSteps(reader, selectByIds, ids, maxBytes),

    async findUnplanned(revertId, ids) {
      if (ids.length === 0) return []
      const { rows } = await selectByIds(ids, (isId) =>
        reader
          .selectFrom('revert_records')
          .select('record_id')
          .where('revert_id', '=', revertId)
          .where(isId('record_id')),
      ).execute(reader)
      const planned = new Set(rows.map((row) => row.record_id))
      return ids.filter((id) => !planned.has(id))
    },

    // A power failure ends the plan as well. The commit of `finishPlan` makes all of it durable.
    addPlanned: (revert_id, results) =>
      withoutFsync(async (db) => {
        for (const { first, alike } of groupAlike(results)) {
          const { outcome, creates, kept_path, reason } = first
          await sql`
            INSERT INTO revert_records (revert_id, record_id, platform_id, outcome, done, creates, held,
              kept_path, decided_seq, reason)
            SELECT ${sql.lit(revert_id)}, record_id, platform_id, ${sql.lit(outcome)}, 0,
              ${sql.lit(creates ? 1 : 0)}, 0, CAST(${kept_path} AS text), decided_seq,
              CAST(${reason} AS text)
            FROM ${decisionRows(alike)} AS d WHERE true
            ON CONFLICT DO NOTHING`.execute(db)
        }
      }),

    finishPlan: (revertId) =>
      writer.transaction().execute(async (db) => {
        await db
          .updateTable('reverts')
          .set({ ...(await countOutcomes(db, revertId)), planned_at: nowText(clock) })
          .where('revert_id', '=', revertId)
          .execute()
        const revert = await findRevert(db, clock, revertId)
        if (!revert) throw new Error('The revert was deleted while it was planned')
        return revert
      }),

    readRevert: (revertId) => findRevert(reader, clock, revertId),

    async readResolved(revertId) {
      const row = await reader
        .selectFrom('reverts')
        .select(['resolved_scope', 'makes_holds'])
        .where('revert_id', '=', revertId)
        .executeTakeFirst()
      if (!row) return null
      return { resolved: parseScope(row.resolved_scope), makes_holds: row.makes_holds === 1 }
    },

    async listReverts({ pull_id, limit, before }) {
      let select = selectReverts(reader)
      if (before !== null) select = select.where('v.revert_id', '<', before)
      if (pull_id !== null) select = select.where('v.pull_id', '=', pull_id)
      const rows = await select.orderBy('v.revert_id', 'desc').limit(limit).execute()
      return rows.map((row) => toRevert(row, clock.now()))
    },

    listRecords: (query) => listRevertRecords(reader, query),

    // With the lock, two nodes do not both find that none is running.
    startRevert: (revertId, started_by, log) =>
      transact(['write authorization'], async (db, at) => {
        const running = await db
          .selectFrom('reverts')
          .select('revert_id')
          .where('state', 'in', UNFINISHED)
          .executeTakeFirst()
        if (running) return 'already_running'
        const started = await db
          .updateTable('reverts')
          .set({ state: 'queued', started_by, started_at: at })
          .where('revert_id', '=', revertId)
          .where('state', '=', 'planned')
          .where('planned_at', 'is not', null)
          .where('created_at', '>', untilText(at, -PLAN_HOURS * 3600))
          .executeTakeFirst()
        if (started.numUpdatedRows === 0n) return 'not_planned'
        await insertLog(db, at, log)
        return 'queued'
      }),

    // The lock waits for batches that have found the revert running.
    cancelRevert: (revertId, log) =>
      transact(['write authorization'], async (db, at) => {
        const cancelled = await db
          .updateTable('reverts')
          .set({ state: 'cancelled', finished_at: at, lease_owner: null, lease_until: null })
          .where('revert_id', '=', revertId)
          .where('planned_at', 'is not', null)
          .where('state', 'in', ['planned', ...UNFINISHED])
          .returning('started_at')
          .executeTakeFirst()
        if (!cancelled) return false
        // Of a plan, the counts remain what it would have done.
        const counts = await countOutcomes(db, revertId, cancelled.started_at ? 'done' : 'all')
        await db.updateTable('reverts').set(counts).where('revert_id', '=', revertId).execute()
        await insertLog(db, at, log)
        return true
      }),

    async claimRevert({ owner, seconds }) {
      const now = nowText(clock)
      const abandoned = sql<boolean>`state IN ('queued', 'interrupted') OR (state = 'running'
        AND (lease_owner IS NULL OR lease_until < ${now}
          ${isOnlyProcess ? sql`OR lease_owner <> ${owner}` : sql``}))`
      const claimed = await writer
        .updateTable('reverts')
        .set({ state: 'running', lease_owner: owner, lease_until: untilText(now, seconds) })
        .where(abandoned)
        .returning(['revert_id', 'resolved_scope', 'makes_holds', 'operator'])
        .executeTakeFirst()
      if (!claimed) return null
      const { revert_id, resolved_scope, makes_holds, operator } = claimed
      const resolved = parseScope(resolved_scope)
      return { revert_id, resolved, makes_holds: makes_holds === 1, operator }
    },

    async listUndone(revertId, after, limit) {
      const rows = await reader
        .selectFrom('revert_records')
        .select('record_id')
        .where('revert_id', '=', revertId)
        .where('record_id', '>', after)
        .where('done', '=', 0)
        .orderBy('record_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.record_id)
    },

    saveResults: (revert_id, results) =>
      writer.transaction().execute(async (db) => {
        // Locks the row, so that a revert which is cancelled meanwhile counts these results.
        const running = await db
          .updateTable('reverts')
          .set({ state: 'running' })
          .where((eb) => eb.and({ revert_id, state: 'running' }))
          .executeTakeFirst()
        if (running.numUpdatedRows === 0n) return false
        const { rows } = await selectByIds(results.map(idOf), (isId) =>
          db.selectFrom('records').select(['record_id', 'change_seq']).where(isId('record_id')),
        ).execute(db)
        const stored = new Map(rows.map((row) => [row.record_id, row.change_seq]))
        const current = results.filter((one) => stored.get(one.record_id) === one.decided_seq)
        for (const { first, alike } of groupAlike(current)) {
          const { outcome, creates, kept_path, reason } = first
          await db
            .updateTable('revert_records')
            .from(decisionRows(alike).as('d'))
            .set({ outcome, creates: creates ? 1 : 0, kept_path, reason, done: 1 })
            .set('decided_seq', sql.ref('d.decided_seq'))
            .where((eb) => eb.and({ revert_id, done: 0 }))
            .whereRef('revert_records.record_id', '=', 'd.record_id')
            .execute()
        }
        return current.length === results.length
      }),

    async dropRecords(revertId, recordIds) {
      if (recordIds.length === 0) return
      await writer
        .deleteFrom('revert_records')
        .where('revert_id', '=', revertId)
        .where('record_id', 'in', recordIds)
        .execute()
    },

    async renewLease(revertId, { owner, seconds }) {
      const renewed = await ownedBy(writer, revertId, owner)
        .set({
          lease_until: untilText(nowText(clock), seconds),
          ...(await countOutcomes(reader, revertId)),
        })
        .executeTakeFirst()
      return renewed.numUpdatedRows > 0n
    },

    async releaseRevert(revertId, owner) {
      await ownedBy(writer, revertId, owner)
        .set({ state: 'interrupted', lease_owner: null, lease_until: null })
        .execute()
    },

    finishRevert: (revertId, owner, end, log) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const finished = await ownedBy(db, revertId, owner)
          .set({
            ...end,
            ...(await countOutcomes(db, revertId, 'done')),
            ...{ finished_at: at, lease_owner: null, lease_until: null },
          })
          .executeTakeFirst()
        if (finished.numUpdatedRows > 0n) await insertLog(db, at, log)
      }),

    deleteOldPlans: (before, limit) => deleteOldPlans(databases, before, limit),
  }
}

const idOf = ({ record_id }: RevertResult) => record_id

/**
 * Groups the results that differ in their record only, as most of a step do: one statement for each group is faster than
 * one for each record.
 */
function groupAlike(results: RevertResult[]): { first: RevertResult; alike: RevertResult[] }[] {
  const nameOf = ({ outcome, creates, kept_path, reason }: RevertResult) =>
    JSON.stringify([outcome, creates, kept_path, reason])
  return [...Map.groupBy(results, nameOf).values()].flatMap((alike) => {
    const [first] = alike
    return first ? [{ first, alike }] : []
  })
}

const UNFINISHED = ['queued', 'running', 'interrupted'] as const

function untilText(now: string, seconds: Lease['seconds']): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString()
}

/** The hub has written the text itself. */
function parseScope(text: string): ResolvedScope {
  return JSON.parse(text)
}
