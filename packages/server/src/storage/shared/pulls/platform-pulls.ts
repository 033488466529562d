import type { PlatformPull, Snapshot } from '@recordhub/protocol'
import { sql } from 'kysely'
import { noCounts } from '../../../domain/pull/pull.ts'
import { concludePlatform, type TaskTally } from '../../../domain/pull/pull-ending.ts'
import type { Executor } from '../schema/databases.ts'
import { COUNTED, toCounts } from './pull-rows.ts'

type Query = { platform_id: number; limit: number; before: number | null }

/** What pulls did with one platform, newest first: a look into an index, then the tasks of those pulls. */
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
  const rows = await selectParts(
    db,
    platform_id,
    found.map((row) => row.pull_id),
  )
  const parts = Map.groupBy(rows, (row) => row.pull_id)
  return found.flatMap(({ pull_id }) => toPlatformPull(parts.get(pull_id) ?? []))
}

function selectParts(db: Executor, platformId: number, pullIds: number[]) {
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
      eb.fn.min('t.error').as('error'),
      ...COUNTED.map((name) => eb.fn.sum<number | null>(`t.${name}`).as(name)),
    ])
    .where('t.platform_id', '=', platformId)
    .where('t.pull_id', 'in', pullIds)
    .groupBy(['t.pull_id', 'p.trigger', 't.state'])
    .execute()
}

type Part = Awaited<ReturnType<typeof selectParts>>[number]

function toPlatformPull(parts: Part[]): PlatformPull[] {
  const [any] = parts
  if (!any) return []
  const tally: TaskTally = {}
  const counts = noCounts()
  for (const part of parts) {
    tally[part.state] = Number(part.tasks)
    const own = toCounts(part)
    for (const name of COUNTED) counts[name] += own[name]
  }
  const state = concludePlatform(tally)
  const isUnderWay = state === 'running' || state === 'queued'
  const ends = parts.map((part) => part.finished_at).filter((at) => at !== null)
  const starts = parts.map((part) => part.started_at).filter((at) => at !== null)
  return [
    {
      pull_id: any.pull_id,
      trigger: any.trigger,
      state,
      started_at: starts.toSorted()[0] ?? null,
      finished_at: isUnderWay ? null : (ends.toSorted().at(-1) ?? null),
      modules: parts.reduce((sum, part) => sum + Number(part.tasks), 0),
      modules_read: tally.succeeded ?? 0,
      counts,
      error: parts.find((part) => part.error !== null)?.error ?? null,
    },
  ]
}

const RECENT = 30

/** The last finished pulls of each of these platforms, newest first, in one statement. */
export async function listRecentPulls(
  db: Executor,
  platformIds: readonly number[],
): Promise<Snapshot['recent_pulls']> {
  if (platformIds.length === 0) return []
  /** The number of the oldest pull that is listed: a look into an index per platform. */
  const oldest = sql<number>`coalesce((
    SELECT DISTINCT x.pull_id FROM pull_tasks x WHERE x.platform_id = f.platform_id
    ORDER BY x.pull_id DESC LIMIT 1 OFFSET ${sql.lit(RECENT)}), 0)`
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
      eb.fn.max('p.finished_at').as('finished_at'),
    ])
    .where('f.platform_id', 'in', platformIds)
    .where('t.pull_id', '>', oldest)
    .where('p.finished_at', 'is not', null)
    .groupBy(['t.platform_id', 't.pull_id', 't.state'])
    .execute()
  const ofPlatforms = Map.groupBy(rows, (row) => row.platform_id)
  return [...ofPlatforms].map(([platform_id, ofPlatform]) => ({
    platform_id,
    pulls: [...Map.groupBy(ofPlatform, (row) => row.pull_id)]
      .map(([pull_id, parts]) => ({
        pull_id,
        state: concludePlatform(
          Object.fromEntries(parts.map((row) => [row.state, Number(row.tasks)])),
        ),
        rejected: parts.reduce((sum, row) => sum + Number(row.rejected), 0),
        finished_at: parts[0]?.finished_at ?? null,
      }))
      .toSorted((one, other) => other.pull_id - one.pull_id),
  }))
}
