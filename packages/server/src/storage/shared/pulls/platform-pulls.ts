import type { PlatformPull, Snapshot } from '@recordhub/protocol'
import { sql } from 'kysely'
import { noCounts } from '../../../domain/pull/pull.ts'
import { concludePlatform, type TaskTally } from '../../../domain/pull/pull-ending.ts'
import type { Executor } from '../schema/databases.ts'
import { addFirstReference, COUNT_NAMES, toCounts } from './pull-rows.ts'

type Query = { platform_id: number; limit: number; before: number | null }

/** Lists the pulls of one platform, newest first. Finds their ids by an index, then reads their tasks. */
export async function listPlatformPulls(
  db: Executor,
  { platform_id, limit, before }: Query,
): Promise<PlatformPull[]> {
  let select = db
    .selectFrom('pull_tasks')
    .select('pull_id')
    .distinct()
    .where('platform_id', '=', platform_id)
  if (before !== null) select = select.where('pull_id', '<', before)
  const found = await select.orderBy('pull_id', 'desc').limit(limit).execute()
  if (found.length === 0) return []
  const ids = found.map((row) => row.pull_id)
  const rows = await selectTaskGroups(db, platform_id, ids)
  const byPull = Map.groupBy(rows, (row) => row.pull_id)
  const errors = await readFirstErrors(db, platform_id, ids)
  return found.flatMap(({ pull_id }) =>
    toPlatformPull(byPull.get(pull_id) ?? [], errors.get(pull_id) ?? null),
  )
}

/** Reads the error of the first task of each pull that has one, in the words of the task. */
async function readFirstErrors(
  db: Executor,
  platformId: number,
  pullIds: number[],
): Promise<ReadonlyMap<number, string | null>> {
  const first = db
    .selectFrom('pull_tasks')
    .select((eb) => ['pull_id', eb.fn.min('task_number').as('task_number')])
    .where('platform_id', '=', platformId)
    .where('pull_id', 'in', pullIds)
    .where('error', 'is not', null)
    .groupBy('pull_id')
    .as('f')
  const tasks = await db
    .selectFrom('pull_tasks as t')
    .innerJoin(first, (join) =>
      join.onRef('f.pull_id', '=', 't.pull_id').onRef('f.task_number', '=', 't.task_number'),
    )
    .select(['t.pull_id', 't.platform_id', 't.error', 't.error_cause'])
    .execute()
  const errors = new Map<number, string | null>()
  for (const task of tasks) errors.set(task.pull_id, await addFirstReference(db, task))
  return errors
}

function selectTaskGroups(db: Executor, platformId: number, pullIds: number[]) {
  return db
    .selectFrom('pull_tasks as t')
    .innerJoin('pulls as p', 'p.pull_id', 't.pull_id')
    .select((eb) => [
      't.pull_id',
      'p.trigger',
      't.state',
      eb.fn.countAll<number>().as('tasks'),
      eb.fn.min('t.started_at').as('started_at'),
      eb.fn.max('t.finished_at').as('finished_at'),
      eb.fn.max('t.begins_rejected').as('begins_rejected'),
      eb.fn.max('t.begins_not_listed').as('begins_not_listed'),
      ...COUNT_NAMES.map((name) => eb.fn.sum<number | null>(`t.${name}`).as(name)),
    ])
    .where('t.platform_id', '=', platformId)
    .where('t.pull_id', 'in', pullIds)
    .groupBy(['t.pull_id', 'p.trigger', 't.state'])
    .execute()
}

type TaskGroup = Awaited<ReturnType<typeof selectTaskGroups>>[number]

function toPlatformPull(groups: TaskGroup[], error: string | null): PlatformPull[] {
  const [first] = groups
  if (!first) return []
  const tally: TaskTally = {}
  const counts = noCounts()
  for (const group of groups) {
    tally[group.state] = Number(group.tasks)
    const groupCounts = toCounts(group)
    for (const name of COUNT_NAMES) counts[name] += groupCounts[name]
  }
  const state = concludePlatform(tally)
  const isUnfinished = state === 'running' || state === 'queued'
  const ends = groups.map((group) => group.finished_at).filter((at) => at !== null)
  const starts = groups.map((group) => group.started_at).filter((at) => at !== null)
  return [
    {
      pull_id: first.pull_id,
      trigger: first.trigger,
      state,
      started_at: starts.toSorted()[0] ?? null,
      finished_at: isUnfinished ? null : (ends.toSorted().at(-1) ?? null),
      modules: groups.reduce((sum, group) => sum + Number(group.tasks), 0),
      modules_read: tally.succeeded ?? 0,
      counts,
      begun: {
        rejected: groups.some(({ begins_rejected }) => begins_rejected === 1),
        not_listed: groups.some(({ begins_not_listed }) => begins_not_listed === 1),
      },
      error,
    },
  ]
}

const MAX_RECENT = 30

/** Lists the last finished pulls of each of these platforms, newest first, with one statement. */
export async function listRecentPulls(
  db: Executor,
  platformIds: readonly number[],
): Promise<Snapshot['recent_pulls']> {
  if (platformIds.length === 0) return []
  /** The id of the newest pull that is not listed; 0 if all are. It takes one index lookup per platform. */
  const previous = sql<number>`coalesce((
    SELECT DISTINCT x.pull_id FROM pull_tasks x WHERE x.platform_id = f.platform_id
    ORDER BY x.pull_id DESC LIMIT 1 OFFSET ${sql.lit(MAX_RECENT)}), 0)`
  const rows = await db
    .selectFrom('platforms as f')
    .innerJoin('pull_tasks as t', 't.platform_id', 'f.platform_id')
    .innerJoin('pulls as p', 'p.pull_id', 't.pull_id')
    .select((eb) => [
      't.platform_id',
      't.pull_id',
      't.state',
      eb.fn.countAll<number>().as('tasks'),
      eb.fn.sum<number>('t.rejected').as('rejected'),
      eb.fn.sum<number>('t.not_listed').as('not_listed'),
      eb.fn.max('p.finished_at').as('finished_at'),
    ])
    .where('f.platform_id', 'in', platformIds)
    .where('t.pull_id', '>', previous)
    .where('p.finished_at', 'is not', null)
    .groupBy(['t.platform_id', 't.pull_id', 't.state'])
    .execute()
  const byPlatform = Map.groupBy(rows, (row) => row.platform_id)
  return [...byPlatform].map(([platform_id, platformRows]) => ({
    platform_id,
    pulls: [...Map.groupBy(platformRows, (row) => row.pull_id)]
      .map(([pull_id, groups]) => ({
        pull_id,
        state: concludePlatform(
          Object.fromEntries(groups.map((row) => [row.state, Number(row.tasks)])),
        ),
        rejected: groups.reduce((sum, row) => sum + Number(row.rejected), 0),
        not_listed: groups.reduce((sum, row) => sum + Number(row.not_listed), 0),
        finished_at: groups[0]?.finished_at ?? null,
      }))
      .toSorted((one, other) => other.pull_id - one.pull_id),
  }))
}
