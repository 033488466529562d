import { sql } from 'kysely'
import type { DropOutcome, DropStep, RetentionStore } from '../../port/retention-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { dropOldPull } from './delete-old-pull.ts'
import { dropOldRejectedPushes } from './delete-rejected-pushes.ts'

type OldStep = DropStep & { before: string }

/** Rows in the order of their numbers, which is that of their age but for clocks that were set. */
type Aged = { id: number; at: string }

const ACTIVITY = { table: 'activity', id: 'activity_id' }
const AUDIT = { table: 'audit', id: 'audit_id' }
const HISTORY = { table: 'record_history', id: 'change_seq' }
const MANIFEST_CHANGES = { table: 'manifest_changes', id: 'manifest_change_id' }

export function createRetentionStore(
  databases: Databases,
  giveSpaceBack: RetentionStore['giveSpaceBack'],
): RetentionStore {
  const { reader, writer } = databases
  const inTransaction = (work: (db: Executor) => Promise<DropOutcome>) =>
    writer.transaction().execute(work)
  const drops: {
    [Noun in Parameters<RetentionStore['dropOld']>[0]]: (step: OldStep) => Promise<DropOutcome>
  } = {
    activity: (step) => inTransaction((db) => dropNumbered(db, ACTIVITY, step)),
    audit: (step) => inTransaction((db) => dropNumbered(db, AUDIT, step)),
    manifest_changes: (step) => inTransaction((db) => dropNumbered(db, MANIFEST_CHANGES, step)),
    history: (step) => inTransaction((db) => dropHistory(db, step)),
    pulls: (step) => inTransaction((db) => dropOldPull(db, step)),
    rejected_pushes: (step) =>
      inTransaction(async (db) =>
        toOutcome(await dropOldRejectedPushes(databases, db, step), step),
      ),
    push_errors: (step) => inTransaction((db) => dropPushErrors(db, step)),
    missing_reviews: (step) => inTransaction((db) => dropReviews(db, step)),
    alerts: (step) => inTransaction((db) => dropAlerts(db, step)),
    counters: (step) => inTransaction((db) => dropCounters(db, step)),
  }
  return {
    giveSpaceBack,
    dropOld: (noun, step) => drops[noun](step),

    async dropActivityBeyond(lines, step) {
      const newest = await reader
        .selectFrom('activity')
        .select((eb) => eb.fn.max('activity_id').as('id'))
        .executeTakeFirst()
      const last = Number(newest?.id ?? 0) - lines
      const rows = await selectActivity(reader, step).where('activity_id', '<=', last).execute()
      const first = rows[0]
      const end = rows.at(-1)
      if (!first || !end) return { dropped: 0, next: null }
      const dropped = await writer
        .deleteFrom('activity')
        .where('activity_id', '>=', first.id)
        .where('activity_id', '<=', end.id)
        .executeTakeFirst()
      return {
        dropped: Number(dropped.numDeletedRows),
        next: rows.length < step.limit ? null : end.id,
      }
    },

    async historyKeptSince() {
      const row = await reader
        .selectFrom('retention')
        .select('complete_since')
        .where('noun', '=', 'history')
        .executeTakeFirst()
      return row?.complete_since ?? null
    },
  }
}

/** Where the oldest rows that a step looks at hold none that is old, younger ones hold none either. */
function windowOf(rows: Aged[], { before, limit }: OldStep) {
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last || rows.every(({ at }) => at >= before)) return null
  return { first: first.id, last: last.id, next: rows.length < limit ? null : last.id }
}

const NOTHING: DropOutcome = { dropped: 0, next: null }

/** Of kinds whose old rows are found by their age, each step begins with the oldest one. */
function toOutcome(dropped: number | bigint, { limit }: DropStep): DropOutcome {
  const count = Number(dropped)
  return { dropped: count, next: count < limit ? null : 0 }
}

function selectActivity(db: Executor, { after, limit }: DropStep) {
  return db
    .selectFrom('activity')
    .select(['activity_id as id', 'at'])
    .where('activity_id', '>', after ?? 0)
    .orderBy('activity_id')
    .limit(limit)
}

async function dropNumbered(
  db: Executor,
  { table, id }: { table: string; id: string },
  step: OldStep,
): Promise<DropOutcome> {
  const { rows } = await sql<Aged>`
    SELECT ${sql.ref(id)} AS id, at FROM ${sql.table(table)} WHERE ${sql.ref(id)} > ${step.after ?? 0}
    ORDER BY ${sql.ref(id)} LIMIT ${step.limit}`.execute(db)
  const window = windowOf(rows, step)
  if (!window) return NOTHING
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ${sql.ref(id)} >= ${window.first}
      AND ${sql.ref(id)} <= ${window.last} AND at < ${step.before}`.execute(db)
  return { dropped: Number(numAffectedRows), next: window.next }
}

async function dropHistory(db: Executor, step: OldStep): Promise<DropOutcome> {
  const outcome = await dropNumbered(db, HISTORY, step)
  if (outcome.dropped === 0) return outcome
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

/** Addresses from which no platform has pushed for as long go with them. */
async function dropPushErrors(db: Executor, step: OldStep): Promise<DropOutcome> {
  const { numDeletedRows } = await db
    .deleteFrom('push_errors')
    .where('push_error_id', 'in', (eb) =>
      eb
        .selectFrom('push_errors')
        .select('push_error_id')
        .where('hour', '<', step.before.slice(0, 13))
        .orderBy('hour')
        .limit(step.limit),
    )
    .executeTakeFirst()
  await db.deleteFrom('push_addresses').where('last_at', '<', step.before).execute()
  return toOutcome(numDeletedRows, step)
}

async function dropReviews(db: Executor, step: OldStep): Promise<DropOutcome> {
  const { numDeletedRows } = await db
    .deleteFrom('missing_reviews')
    .where('missing_review_id', 'in', (eb) =>
      eb
        .selectFrom('missing_reviews')
        .select('missing_review_id')
        .where('closed_at', '<', step.before)
        .orderBy('closed_at')
        .limit(step.limit),
    )
    .executeTakeFirst()
  return toOutcome(numDeletedRows, step)
}

async function dropAlerts(db: Executor, step: OldStep): Promise<DropOutcome> {
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('alert_id', 'in', (eb) =>
      eb
        .selectFrom('alerts')
        .select('alert_id')
        .where('resolved_at', '<', step.before)
        .orderBy('resolved_at')
        .limit(step.limit),
    )
    .executeTakeFirst()
  return toOutcome(numDeletedRows, step)
}

/** The key begins with the hub's day and the hour, so that its order is that of their age. */
async function dropCounters(db: Executor, { before, limit }: OldStep): Promise<DropOutcome> {
  const oldest = await db
    .selectFrom('hourly_counters')
    .select(['day', 'hour', 'platform_id', 'node'])
    .orderBy('day')
    .orderBy('hour')
    .orderBy('platform_id')
    .orderBy('node')
    .limit(limit)
    .execute()
  const last = oldest.findLast((row) => row.hour < before.slice(0, 13))
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
