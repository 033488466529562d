import type { PlatformSummary, Pull, PullTask, Stats } from '@recordhub/protocol'
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import {
  MAX_SNAPSHOT_PLATFORMS,
  type SnapshotStore,
  type StoredPull,
} from '../../port/statistics-store.ts'
import { readHealth } from '../platforms/health-rows.ts'
import { selectPlatformSummaries, toPlatformSummary } from '../platforms/platform-rows.ts'
import { listRecentPulls } from '../pulls/platform-pulls.ts'
import { findPause } from '../pulls/pull-plan.ts'
import { selectTasks, toTask } from '../pulls/pull-rows.ts'
import { findPull, findUnfinished } from '../pulls/pull-store.ts'
import { isVisible } from '../records/module-scope.ts'
import { selectWithoutData, toRecordRow } from '../records/record-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { countRows } from '../schema/rows.ts'
import { toActivityEntry } from './activity-rows.ts'
import { readOpenAlerts } from './alert-store.ts'

const LATEST = 20
const LATEST_ALERTS = 5
const MAX_TASKS = 20

/** @param readVersion as `SnapshotStore.readVersion`. */
export function createSnapshotStore(
  { reader, clock }: Databases,
  readVersion: (db: Executor) => Promise<string>,
): SnapshotStore {
  let finished: Pull | null = null

  /** Adds up the tasks of a finished pull once, since they do not change. */
  async function readLastFinished(): Promise<Pull | null> {
    const last = await findLastFinished(reader)
    if (last === undefined) return null
    const { pull_id, started_by } = last
    if (finished?.id !== pull_id) finished = await findPull(reader, clock, pull_id)
    return finished && { ...finished, started_by }
  }

  async function readPull(): Promise<StoredPull> {
    const running = await findUnfinished(reader, clock)
    const last = await readLastFinished()
    const shown = running ?? last
    return {
      running: running !== null,
      pull: running,
      last,
      tasks: shown ? await listNotableTasks(reader, shown.id) : [],
      schedule_paused: (await findPause(reader)) !== null,
    }
  }

  /** Reads these platforms, and nothing of the others. Returns them in the order of the ids. */
  async function readSummaries(platformIds: number[]): Promise<PlatformSummary[]> {
    if (platformIds.length === 0) return []
    const rows = await selectPlatformSummaries(reader)
      .where('p.platform_id', 'in', platformIds)
      .execute()
    const healthFacts = await readHealth(reader, { platformIds, now: nowText(clock) })
    const summaries = new Map(
      rows.map((row) => [row.platform_id, toPlatformSummary(row, healthFacts(row.platform_id))]),
    )
    return platformIds.flatMap((id) => summaries.get(id) ?? [])
  }

  return {
    readVersion: () => readVersion(reader),

    async readSnapshot(day) {
      // Reads of SQLite end before their promise is awaited, so pushes would wait for all of them.
      const stats = await readStats(reader, day)
      await yieldToEventLoop()
      const shown = await reader
        .selectFrom('platforms as p')
        .where('p.removed_at', 'is', null)
        .select('p.platform_id')
        .orderBy((eb) => eb.case().when('p.last_error', 'is', null).then(1).else(0).end())
        .orderBy('p.display_title')
        .limit(MAX_SNAPSHOT_PLATFORMS)
        .execute()
      const platforms = await readSummaries(shown.map(({ platform_id }) => platform_id))
      await yieldToEventLoop()
      const records = await selectWithoutData(reader)
        .orderBy('r.change_seq', 'desc')
        .limit(LATEST)
        .execute()
      const hidden = await listHidden(reader)
      const logs = await reader
        .selectFrom('activity')
        .selectAll()
        .orderBy('activity_id', 'desc')
        .limit(LATEST)
        .execute()
      await yieldToEventLoop()
      const pull = await readPull()
      await yieldToEventLoop()
      return {
        stats,
        platforms,
        // Filtering in the query would read every record that is being deleted.
        records: records
          .filter((record) => !hidden.has(keyOf(record)))
          .map((row) => {
            const { data: _, change_seq: __, ...record } = toRecordRow(row)
            return record
          }),
        logs: logs.map(toActivityEntry),
        alerts: await readOpenAlerts(reader, LATEST_ALERTS),
        latest_sync: pull.last && toLatestSync(pull.last),
        pull,
      }
    },

    readPull,

    readRecentPulls: (platformIds) => listRecentPulls(reader, platformIds),
  }
}

/** Returns the modules whose records are being deleted. */
async function listHidden(db: Executor): Promise<Set<string>> {
  const rows = await db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select(['p.platform_name', 'm.record_type'])
    .where(sql<boolean>`NOT ${isVisible('m')}`)
    .execute()
  return new Set(rows.map(keyOf))
}

function keyOf({ platform_name, record_type }: { platform_name: string; record_type: string }) {
  return JSON.stringify([platform_name, record_type])
}

async function readStats(db: Executor, day: string): Promise<Stats> {
  const platforms = await db
    .selectFrom('platforms')
    .select((eb) => [
      eb.fn.countAll<number>().as('platforms'),
      eb.fn
        .sum<number | null>(eb.case().when('status', '=', 'active').then(1).else(0).end())
        .as('active'),
    ])
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  const records = await db
    .selectFrom('module_counters as c')
    .select((eb) => eb.fn.sum<number | null>('c.records').as('records'))
    .where(isVisible('c'))
    .executeTakeFirstOrThrow()
  const today = await db
    .selectFrom('hourly_counters')
    .select((eb) => [
      eb.fn.sum<number | null>('received_post').as('post'),
      eb.fn.sum<number | null>('received_patch').as('patch'),
      eb.fn.sum<number | null>('received_pull').as('pull'),
      eb.fn.sum<number | null>('created').as('created'),
      eb.fn.sum<number | null>('updated').as('updated'),
      eb.fn.sum<number | null>('rejected').as('rejected'),
    ])
    .where('day', '=', day)
    .executeTakeFirstOrThrow()
  return {
    platforms: Number(platforms.platforms),
    active_platforms: Number(platforms.active),
    modules: await countRows(db, 'modules', { registered_at: sql`IS NOT NULL` }),
    records: Number(records.records),
    received_today: Number(today.post) + Number(today.patch) + Number(today.pull),
    created_today: Number(today.created),
    updated_today: Number(today.updated),
    rejected_today: Number(today.rejected),
  }
}

/** Returns the name of the operator as it is now. */
function findLastFinished(db: Executor) {
  return db
    .selectFrom('pulls as p')
    .leftJoin('operators as o', 'o.email', 'p.requested_by')
    .select((eb) => ['p.pull_id', eb.fn.coalesce('o.name', 'p.requested_by').as('started_by')])
    .where('p.finished_at', 'is not', null)
    .orderBy('p.pull_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

function toLatestSync({ id, trigger, state, started_at, finished_at }: Pull) {
  return { pull_id: id, trigger, state, started_at, finished_at }
}

/**
 * Selects the tasks of a pull to show: running tasks first, then failed, then queued, then all others. Returns them in
 * the order in which the pull runs them.
 */
async function listNotableTasks(db: Executor, pullId: number): Promise<PullTask[]> {
  const notable = db
    .selectFrom('pull_tasks')
    .select('task_number')
    .where('pull_id', '=', pullId)
    .orderBy((eb) =>
      eb
        .case()
        .when('state', '=', 'running')
        .then(0)
        .when('state', 'in', ['failed', 'timed_out', 'interrupted'])
        .then(1)
        .when('state', '=', 'queued')
        .then(2)
        .else(3)
        .end(),
    )
    .orderBy('task_number')
    .limit(MAX_TASKS)
  // Only these tasks are joined, since a pull can have thousands.
  const rows = await selectTasks(db)
    .where('t.pull_id', '=', pullId)
    .where('t.task_number', 'in', notable)
    .orderBy('t.task_number')
    .execute()
  return Promise.all(rows.map((row) => toTask(db, row)))
}
