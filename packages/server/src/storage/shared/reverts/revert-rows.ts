/** Reverts as rows. */
import type { Revert, RevertScope } from '@recordhub/protocol'
import { sql } from 'kysely'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Executor } from '../schema/databases.ts'

/** How long a plan that is not started is kept. */
export const PLAN_HOURS = 24

/** The last revert that has taken back the revert `v`; null without one. */
const REVERTED_BY = sql<number | null>`(SELECT max(w.revert_id) FROM reverts w
  WHERE w.reverts_id = v.revert_id AND w.state = 'succeeded' AND w.reverted > 0)`

/** Selects the ids of pulls of which a revert has taken something back, and was not taken back itself. */
export function selectRevertedPulls(db: Executor) {
  return db
    .selectFrom('reverts as v')
    .select('v.pull_id')
    .where('v.pull_id', 'is not', null)
    .where('v.finished_at', 'is not', null)
    .where('v.reverted', '>', 0)
    .where(REVERTED_BY, 'is', null)
    .$narrowType<{ pull_id: number }>()
}

/** Selects finished plans, and reverts that were started. */
export function selectReverts(db: Executor) {
  return db
    .selectFrom('reverts as v')
    .selectAll('v')
    .select([
      sql<number>`(SELECT count(DISTINCT h.record_id) FROM holds h
        WHERE h.revert_id = v.revert_id)`.as('held_now'),
      REVERTED_BY.as('reverted_by'),
    ])
    .where('v.planned_at', 'is not', null)
}

type SelectedRevert = Awaited<ReturnType<ReturnType<typeof selectReverts>['execute']>>[number]

export async function findRevert(
  db: Executor,
  clock: Clock,
  revertId: number,
): Promise<Revert | null> {
  const row = await selectReverts(db).where('v.revert_id', '=', revertId).executeTakeFirst()
  return row ? toRevert(row, clock.now()) : null
}

export function toRevert(row: SelectedRevert, now: Date): Revert {
  const held_now = Number(row.held_now)
  const planned_at = row.planned_at ?? row.created_at
  const scope: RevertScope = JSON.parse(row.scope)
  const expiry = new Date(Date.parse(row.created_at) + PLAN_HOURS * 3_600_000)
  return {
    id: row.revert_id,
    state: isAbandoned(row, now) ? 'interrupted' : row.state,
    scope,
    reason: row.reason,
    operator: row.operator,
    started_by: row.started_by,
    counts: {
      ...{ reverted: row.reverted, kept: row.kept, impossible: row.impossible, held_now },
      lifted: Math.max(0, row.held - held_now),
    },
    progress: {
      records_total: row.total,
      records_done: row.done,
      percent: row.total === 0 ? 100 : Math.floor((100 * row.done) / row.total),
    },
    planned_at,
    expires_at: row.state === 'planned' ? expiry.toISOString() : null,
    started_at: row.started_at,
    finished_at: row.finished_at,
    error: row.error,
    history_since: row.history_since,
    holds: row.makes_holds === 1,
    reverted_by: row.reverted_by,
  }
}

/** Its process has ended without a word. Another one continues it. */
function isAbandoned({ state, lease_until }: SelectedRevert, now: Date): boolean {
  return state === 'running' && (lease_until === null || Date.parse(lease_until) < now.getTime())
}

/** Changes the row of a revert while this process runs it. */
export function ownedBy(db: Executor, revertId: number, owner: string) {
  return db
    .updateTable('reverts')
    .where((eb) => eb.and({ revert_id: revertId, state: 'running', lease_owner: owner }))
}
