import { sql } from 'kysely'
import { toHour } from '../../../lib/time/clock.ts'
import type { DeletionOutcome, DeletionStep, RetentionStore } from '../../port/deletion-store.ts'
import { deleteRequestsUpTo } from '../activity/request-batches.ts'
import { deleteOldReverts } from '../reverts/delete-reverts.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { deleteRows, findRow, readIdRange } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'
import { deleteOldRejectedPushes, deleteSome, type RowsByKey } from './delete-rows.ts'

/** Deletes rows that are older than `before`. */
type OldStep = DeletionStep & { before: string }

/** Rows are read in the order of their ids, which is the order of their age unless a clock was changed. */
type AgedRow = { id: number; at: string }

const ACTIVITY = { table: 'activity', id: 'activity_id' }
const AUDIT = { table: 'audit', id: 'audit_id' }
const HISTORY = { table: 'record_history', id: 'change_seq' }
const MANIFEST_CHANGES = { table: 'manifest_changes', id: 'manifest_change_id' }
const REVIEWS = {
  table: 'missing_reviews',
  key: 'missing_review_id',
  orderBy: 'closed_at',
} as const
const ALERTS = { table: 'alerts', key: 'alert_id', orderBy: 'resolved_at' } as const

export function createRetentionStore(
  databases: Databases,
  reclaimSpace: RetentionStore['reclaimSpace'],
): RetentionStore {
  const { reader, writer, transact } = databases
  const deletions: {
    [Noun in Parameters<RetentionStore['deleteOld']>[0]]: (
      db: Executor,
      step: OldStep,
    ) => Promise<DeletionOutcome>
  } = {
    activity: (db, step) => deleteById(db, ACTIVITY, step),
    audit: (db, step) => deleteById(db, AUDIT, step),
    manifest_changes: (db, step) => deleteById(db, MANIFEST_CHANGES, step),
    history: deleteOldHistory,
    pulls: deleteOldPull,
    reverts: deleteOldReverts,
    rejected_pushes: async (db, step) =>
      toOutcome(await deleteOldRejectedPushes(databases, db, step), step),
    requests: deleteOldRequests,
    push_errors: deletePushErrors,
    missing_reviews: (db, step) => deleteClosed(db, REVIEWS, step),
    alerts: (db, step) => deleteClosed(db, ALERTS, step),
    counters: deleteCounters,
  }
  return {
    reclaimSpace,
    deleteOld: (noun, step) => transact([], (db) => deletions[noun](db, step)),

    async trimActivity(entries, step) {
      const newest = await readIdRange(reader, 'activity', 'activity_id')
      const last = Number(newest.last ?? 0) - entries
      const rows = await selectActivity(reader, step).where('activity_id', '<=', last).execute()
      const first = rows[0]
      const end = rows.at(-1)
      if (!first || !end) return NOTHING
      const match = { activity_id: sql`BETWEEN ${first.id} AND ${end.id}` }
      const deleted = await deleteRows(writer, 'activity', match)
      return { deleted, next: rows.length < step.limit ? null : end.id }
    },

    async historyCompleteSince() {
      const row = await findRow(reader, 'retention', { noun: 'history' }, ['complete_since'])
      return row?.complete_since ?? null
    },
  }
}

/** Returns the range of ids of a step; null if none of its rows is old, since later rows are not older. */
function windowOf(rows: AgedRow[], { before, limit }: OldStep) {
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last || rows.every(({ at }) => at >= before)) return null
  return { first: first.id, last: last.id, next: rows.length < limit ? null : last.id }
}

const NOTHING: DeletionOutcome = { deleted: 0, next: null }

/** Returns the outcome of a step that finds rows by age: the next step begins with the oldest row again. */
function toOutcome(count: number | bigint, { limit }: DeletionStep): DeletionOutcome {
  const deleted = Number(count)
  return { deleted, next: deleted < limit ? null : 0 }
}

function selectActivity(db: Executor, { after, limit }: DeletionStep) {
  return db
    .selectFrom('activity')
    .select(['activity_id as id', 'at'])
    .where('activity_id', '>', after ?? 0)
    .orderBy('activity_id')
    .limit(limit)
}

async function deleteById(
  db: Executor,
  { table, id }: { table: string; id: string },
  step: OldStep,
): Promise<DeletionOutcome> {
  const { rows } = await sql<AgedRow>`
    SELECT ${sql.ref(id)} AS id, at FROM ${sql.table(table)} WHERE ${sql.ref(id)} > ${step.after ?? 0}
    ORDER BY ${sql.ref(id)} LIMIT ${step.limit}`.execute(db)
  const window = windowOf(rows, step)
  if (!window) return NOTHING
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${sql.ref(id)} >= ${window.first}
      AND ${sql.ref(id)} <= ${window.last} AND at < ${step.before}`.execute(db)
  return { deleted: Number(numAffectedRows), next: window.next }
}

async function deleteOldHistory(db: Executor, step: OldStep): Promise<DeletionOutcome> {
  const outcome = await deleteById(db, HISTORY, step)
  if (outcome.deleted === 0) return outcome
  await db
    .insertInto('retention')
    .values({ noun: 'history', complete_since: step.before })
    .onConflict((conflict) =>
      conflict
        .column('noun')
        .doUpdateSet({ complete_since: step.before })
        .where('retention.complete_since', '<', step.before),
    )
    .execute()
  return outcome
}

/** Deletes whole batches: at most `limit` requests and the rest of the last batch. */
async function deleteOldRequests(db: Executor, step: OldStep): Promise<DeletionOutcome> {
  const { first } = await readIdRange(db, 'request_batches', 'first_id')
  if (first === null) return NOTHING
  const rows = await db
    .selectFrom('request_batches')
    .select(['first_id', 'last_id', 'at'])
    .where('first_id', '<', first + step.limit)
    .orderBy('first_id')
    .execute()
  const newer = rows.findIndex(({ at }) => at >= step.before)
  const old = newer < 0 ? rows : rows.slice(0, newer)
  const last = old.at(-1)?.last_id
  if (last === undefined) return NOTHING
  await deleteRequestsUpTo(db, last)
  const deleted = old.reduce((sum, { first_id, last_id }) => sum + last_id - first_id + 1, 0)
  return { deleted, next: newer < 0 ? 0 : null }
}

async function deletePushErrors(db: Executor, step: OldStep): Promise<DeletionOutcome> {
  const where = sql`hour < ${toHour(step.before)}`
  const old = { table: 'push_errors', key: 'push_error_id', where, orderBy: 'hour' } as const
  const deleted = await deleteSome(db, old, step.limit)
  // Also the addresses from which a platform last pushed before that time.
  await db.deleteFrom('push_addresses').where('last_at', '<', step.before).execute()
  return toOutcome(deleted, step)
}

/** Deletes rows by the time of their end. */
async function deleteClosed<Table extends keyof Tables & string>(
  db: Executor,
  rows: RowsByKey<Table>,
  step: OldStep,
): Promise<DeletionOutcome> {
  const where = sql`${sql.ref(rows.orderBy)} < ${step.before}`
  return toOutcome(await deleteSome(db, { ...rows, where }, step.limit), step)
}

/** The primary key begins with day and hour, so its order is the order of age. */
async function deleteCounters(db: Executor, { before, limit }: OldStep): Promise<DeletionOutcome> {
  const oldest = await db
    .selectFrom('hourly_counters')
    .select(['day', 'hour', 'platform_id', 'node'])
    .orderBy('day')
    .orderBy('hour')
    .orderBy('platform_id')
    .orderBy('node')
    .limit(limit)
    .execute()
  const last = oldest.findLast((row) => row.hour < toHour(before))
  if (!last) return NOTHING
  const { day, hour, platform_id, node } = last
  const { numDeletedRows } = await db
    .deleteFrom('hourly_counters')
    .where(
      sql<boolean>`(day, hour, platform_id, node) <= (${day}, ${hour}, ${platform_id}, ${node})`,
    )
    .where('hour', '<=', hour)
    .executeTakeFirst()
  return toOutcome(numDeletedRows, { limit, after: null })
}

/** Deletes the oldest pull, or some of its tasks. Pulls end in the order of their ids, since only one runs at a time. */
async function deleteOldPull(db: Executor, { before, limit }: OldStep): Promise<DeletionOutcome> {
  const oldest = await db
    .selectFrom('pulls')
    .select(['pull_id', 'finished_at'])
    .orderBy('pull_id')
    .limit(1)
    .executeTakeFirst()
  if (!oldest || oldest.finished_at === null || oldest.finished_at >= before) {
    return NOTHING
  }
  const { pull_id } = oldest
  const later = await db
    .selectFrom('pulls')
    .select('pull_id')
    .where('pull_id', '>', pull_id)
    .where('finished_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  // The dashboard shows the newest finished pull.
  if (!later) return NOTHING
  const tasks = await db
    .deleteFrom('pull_tasks')
    .where('pull_id', '=', pull_id)
    .where('task_number', 'in', (eb) =>
      eb
        .selectFrom('pull_tasks')
        .select('task_number')
        .where('pull_id', '=', pull_id)
        .orderBy('task_number')
        .limit(limit - 1),
    )
    .executeTakeFirst()
  const pulls = await db
    .deleteFrom('pulls')
    .where('pull_id', '=', pull_id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('pull_tasks').select('task_number').where('pull_id', '=', pull_id))),
    )
    .executeTakeFirst()
  return { deleted: Number(tasks.numDeletedRows) + Number(pulls.numDeletedRows), next: 0 }
}
