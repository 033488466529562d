import type { Pull, PullTask, Stats } from '@recordhub/protocol'
import type { SnapshotStore } from '../../port/snapshot-store.ts'
import { selectPlatformSummaries, toPlatformSummary } from '../platforms/platform-rows.ts'
import { listRecentPulls } from '../pulls/platform-pulls.ts'
import { selectTasks, toTask } from '../pulls/pull-rows.ts'
import { findPull, findUnfinished } from '../pulls/pull-store.ts'
import { findPause } from '../pulls/schedule-store.ts'
import { selectRecords } from '../records/record-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { toActivityEntry } from './activity-rows.ts'
import { readOpenAlerts } from './alert-store.ts'

const MAX_PLATFORMS = 200
const LATEST = 20
const LATEST_ALERTS = 5
const MAX_TASKS = 20

export function createSnapshotStore({ reader, clock }: Databases): SnapshotStore {
  return {
    async readSnapshot(day) {
      const stats = await readStats(reader, day)
      const platforms = await selectPlatformSummaries(reader)
        .orderBy((eb) => eb.case().when('p.last_error', 'is', null).then(1).else(0).end())
        .orderBy('p.display_title')
        .limit(MAX_PLATFORMS)
        .execute()
      const records = await selectRecords(reader)
        .orderBy('r.change_seq', 'desc')
        .limit(LATEST)
        .execute()
      const removed = new Set(await listRemovedNames(reader))
      const logs = await reader
        .selectFrom('activity')
        .selectAll()
        .orderBy('activity_id', 'desc')
        .limit(LATEST)
        .execute()
      const running = await findUnfinished(reader, clock)
      const lastId = await findLastFinished(reader)
      const last = lastId === null ? null : await findPull(reader, clock, lastId)
      const shown = running ?? last
      return {
        stats,
        platforms: platforms.map(toPlatformSummary),
        // Filtering in the query would read every record of a removed platform.
        records: records
          .filter((record) => !removed.has(record.platform_name))
          .map(({ data: _, change_seq: __, incomplete, ...record }) => ({
            ...record,
            incomplete: incomplete === 1,
          })),
        logs: logs.map(toActivityEntry),
        alerts: await readOpenAlerts(reader, LATEST_ALERTS),
        latest_sync: last && toLatestSync(last),
        pull: {
          running: running !== null,
          pull: running,
          last,
          tasks: shown ? await listNotableTasks(reader, shown.id) : [],
          schedule_paused: (await findPause(reader)) !== null,
        },
      }
    },

    readRecentPulls: (platformIds) => listRecentPulls(reader, platformIds),
  }
}

/** Returns the names of platforms whose records are being deleted. */
async function listRemovedNames(db: Executor): Promise<string[]> {
  const rows = await db
    .selectFrom('platforms')
    .select('platform_name')
    .where('removed_at', 'is not', null)
    .execute()
  return rows.map((row) => row.platform_name)
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
  const modules = await db
    .selectFrom('modules')
    .select((eb) => eb.fn.countAll<number>().as('registered'))
    .where('registered_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const records = await db
    .selectFrom('module_counters')
    .select((eb) => eb.fn.sum<number | null>('records').as('records'))
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
    modules: Number(modules.registered),
    records: Number(records.records),
    received_today: Number(today.post) + Number(today.patch) + Number(today.pull),
    created_today: Number(today.created),
    updated_today: Number(today.updated),
    rejected_today: Number(today.rejected),
  }
}

async function findLastFinished(db: Executor): Promise<number | null> {
  const row = await db
    .selectFrom('pulls')
    .select('pull_id')
    .where('finished_at', 'is not', null)
    .orderBy('pull_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.pull_id ?? null
}

function toLatestSync({ id, trigger, state, started_at, finished_at }: Pull) {
  return { pull_id: id, trigger, state, started_at, finished_at }
}

/**
 * Selects the tasks of a pull to show: running tasks first, then failed, then queued, then all others. Returns them in
 * the order in which the pull runs them.
 */
async function listNotableTasks(db: Executor, pullId: number): Promise<PullTask[]> {
  const rows = await selectTasks(db)
    .where('t.pull_id', '=', pullId)
    .orderBy((eb) =>
      eb
        .case()
        .when('t.state', '=', 'running')
        .then(0)
        .when('t.state', 'in', ['failed', 'timed_out', 'interrupted'])
        .then(1)
        .when('t.state', '=', 'queued')
        .then(2)
        .else(3)
        .end(),
    )
    .orderBy('t.task_number')
    .limit(MAX_TASKS)
    .execute()
  return rows.toSorted((one, other) => one.task_number - other.task_number).map(toTask)
}
