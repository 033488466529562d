/** Figures that are computed from counters: statistics of pushes, and the metrics of the storage. */
import { type RawBuilder, sql } from 'kysely'
import { daysFrom } from '../../../lib/time/clock.ts'
import {
  EMPTY_HOUR,
  type MetricsStore,
  MISSING_LIMIT,
  type StatisticsStore,
  type StoredFigures,
  type StoredHour,
} from '../../port/statistics-store.ts'
import { countPulls } from '../pulls/pull-rows.ts'
import { isVisible } from '../records/module-scope.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { countRows } from '../schema/rows.ts'

export function createStatisticsStore({ reader }: Databases): StatisticsStore {
  return {
    async readHours(from, to) {
      const hours = new Map<string, StoredHour>()
      const hourOf = (hour: string) => {
        const known = hours.get(hour) ?? { hour, ...EMPTY_HOUR }
        hours.set(hour, known)
        return known
      }
      for (const { hour, ...counts } of await readCounts(reader, from, to)) {
        Object.assign(hourOf(hour), counts)
      }
      for (const { at, ...counts } of await countPulls(reader, 'hour', from, endOf(to))) {
        Object.assign(hourOf(at), counts)
      }
      for (const { hour, n } of await countPlatforms(reader, from, to)) {
        hourOf(hour).platforms_added = Number(n)
      }
      for (const { hour, n } of await countModules(reader, from, to)) {
        hourOf(hour).modules_added = Number(n)
      }
      return [...hours.values()]
    },
  }
}

async function readCounts(db: Executor, from: string, to: string) {
  const rows = await selectHours(db, from, to)
    .select((eb) => [
      'hour',
      eb.fn.sum<number>('received_post').as('received_post'),
      eb.fn.sum<number>('received_patch').as('received_patch'),
      eb.fn.sum<number>('received_pull').as('received_pull'),
      eb.fn.sum<number>('created').as('created'),
      eb.fn.sum<number>('updated').as('updated'),
      eb.fn.sum<number>('rejected').as('rejected'),
    ])
    .groupBy('hour')
    .execute()
  return rows.map((row) => ({
    hour: row.hour,
    received_post: Number(row.received_post),
    received_patch: Number(row.received_patch),
    received_pull: Number(row.received_pull),
    created: Number(row.created),
    updated: Number(row.updated),
    rejected: Number(row.rejected),
  }))
}

/** Returns an upper bound for all times of an hour: `~` sorts after every character of a time. */
const endOf = (hour: string) => `${hour}:~`

function countPlatforms(db: Executor, from: string, to: string) {
  const hour = hourOfColumn('created_at')
  return db
    .selectFrom('platforms')
    .select((eb) => [hour.as('hour'), eb.fn.countAll<number>().as('n')])
    .where('removed_at', 'is', null)
    .where('created_at', '>=', from)
    .where('created_at', '<', endOf(to))
    .groupBy(hour)
    .execute()
}

function countModules(db: Executor, from: string, to: string) {
  const hour = hourOfColumn('registered_at')
  return db
    .selectFrom('modules')
    .select((eb) => [hour.as('hour'), eb.fn.countAll<number>().as('n')])
    .where('registered_at', '>=', from)
    .where('registered_at', '<', endOf(to))
    .groupBy(hour)
    .execute()
}

/**
 * Selects the counters of a range of hours (`2026-11-21T07`, UTC), both ends included. The index starts with the hub's
 * local day, which is at most one day before or after the day in UTC.
 */
export function selectHours(db: Executor, from: string, to: string) {
  return db
    .selectFrom('hourly_counters')
    .where('day', '>=', adjacentDay(from, -1))
    .where('day', '<=', adjacentDay(to, 1))
    .where('hour', '>=', from)
    .where('hour', '<=', to)
}

/** The hour of a time column, as `toHour` of its value. */
function hourOfColumn(column: 'created_at' | 'registered_at'): RawBuilder<string> {
  return sql<string>`substr(${sql.ref(column)}, 1, 13)`
}

function adjacentDay(hour: string, offset: number): string {
  return daysFrom(new Date(`${hour}:00:00.000Z`), offset).slice(0, 10)
}

type EngineFigures = Pick<StoredFigures, 'database_bytes' | 'wal_bytes' | 'threads'>

/** @param readEngineFigures the figures that differ between engines. */
export function createMetricsStore(
  { reader, clock }: Pick<Databases, 'reader' | 'clock'>,
  readEngineFigures: () => Promise<EngineFigures>,
): MetricsStore {
  return {
    async readFigures() {
      const at = nowText(clock)
      const { platforms, rejected_bytes, records, modules } = await readPlatforms(reader)
      return {
        ...{ platforms, rejected_bytes, records, modules },
        missing: await countMissing(reader),
        pending_reviews: await countRows(reader, 'missing_reviews', { state: 'pending' }),
        sessions: await countRows(reader, 'operator_sessions', { expires_at: sql`> ${at}` }),
        alerts: await countAlerts(reader),
        ...(await countUnfinished(reader)),
        ...(await readEngineFigures()),
      }
    },
  }
}

/** Separate queries, merged here: a join would read the wide rows of platforms once per module. */
async function readPlatforms(db: Executor) {
  const platforms = await db
    .selectFrom('platforms')
    .select(['platform_id', 'platform_name', 'status', 'rejected_bytes'])
    .select(['failures_in_row', 'last_pulled_at'])
    .where('removed_at', 'is', null)
    .orderBy('platform_id')
    .execute()
  const counted = await db
    .selectFrom('module_counters as c')
    .select((eb) => [
      'c.platform_id',
      eb.fn.sum<number | null>('c.pushes').as('pushes'),
      sql<number | null>`SUM(CASE WHEN ${isVisible('c')} THEN c.records ELSE 0 END)`.as('records'),
    ])
    .groupBy('c.platform_id')
    .execute()
  const byId = new Map(counted.map((row) => [row.platform_id, row]))
  return {
    platforms: platforms.map(({ platform_id, rejected_bytes: _, ...platform }) => ({
      ...platform,
      failures_in_row: Number(platform.failures_in_row),
      records: Number(byId.get(platform_id)?.records ?? 0),
      pushes: Number(byId.get(platform_id)?.pushes ?? 0),
    })),
    rejected_bytes: platforms.reduce((sum, { rejected_bytes }) => sum + Number(rejected_bytes), 0),
    records: counted.reduce((sum, { records }) => sum + Number(records), 0),
    modules: await countRows(db, 'modules', { registered_at: sql`IS NOT NULL` }),
  }
}

async function countMissing(db: Executor): Promise<number> {
  const missing = db
    .selectFrom('records as r')
    .select('r.record_id')
    .where('r.missing_since', 'is not', null)
    .where(isVisible('r'))
    .limit(MISSING_LIMIT)
  const counted = await db
    .selectFrom(missing.as('m'))
    .select((eb) => eb.fn.countAll<number>().as('missing'))
    .executeTakeFirstOrThrow()
  return Number(counted.missing)
}

async function countAlerts(db: Executor): Promise<StoredFigures['alerts']> {
  const rows = await db
    .selectFrom('alerts')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('open')])
    .where('resolved_at', 'is', null)
    .groupBy('kind')
    .execute()
  return Object.fromEntries(rows.map(({ kind, open }) => [kind, Number(open)]))
}

/** The unfinished pull is at most one. */
async function countUnfinished(db: Executor): Promise<Pick<StoredFigures, 'pulls' | 'pull_tasks'>> {
  const pulls = { queued: 0, running: 0 }
  const pull_tasks = { queued: 0, running: 0 }
  const unfinished = await db
    .selectFrom('pulls')
    .select(['pull_id', 'state'])
    .where('state', 'in', ['queued', 'running'])
    .execute()
  for (const { pull_id, state } of unfinished) {
    pulls[state === 'queued' ? 'queued' : 'running'] += 1
    const tasks = await db
      .selectFrom('pull_tasks')
      .select((eb) => ['state', eb.fn.countAll<number>().as('tasks')])
      .where('pull_id', '=', pull_id)
      .where('state', 'in', ['queued', 'running'])
      .groupBy('state')
      .execute()
    for (const row of tasks) {
      pull_tasks[row.state === 'queued' ? 'queued' : 'running'] += Number(row.tasks)
    }
  }
  return { pulls, pull_tasks }
}
