import { sql } from 'kysely'
import { type MetricsStore, MISSING_LIMIT, type StoredFigures } from '../../port/metrics-store.ts'
import { isVisible } from '../records/visible-modules.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'

type EngineFigures = Pick<StoredFigures, 'database_bytes' | 'wal_bytes' | 'threads'>

/** @param readEngineFigures the figures that differ between engines. */
export function createMetricsStore(
  { reader, clock }: Pick<Databases, 'reader' | 'clock'>,
  readEngineFigures: () => Promise<EngineFigures>,
): MetricsStore {
  return {
    async readFigures() {
      const { platforms, rejected_bytes, records, modules } = await readPlatforms(reader)
      return {
        ...{ platforms, rejected_bytes, records, modules },
        missing: await countMissing(reader),
        pending_reviews: await countPendingReviews(reader),
        sessions: await countSessions(reader, nowText(clock)),
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
  const modules = await db
    .selectFrom('modules')
    .select((eb) => eb.fn.countAll<number>().as('registered'))
    .where('registered_at', 'is not', null)
    .executeTakeFirstOrThrow()
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
    modules: Number(modules.registered),
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

async function countPendingReviews(db: Executor): Promise<number> {
  const counted = await db
    .selectFrom('missing_reviews')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(counted.pending)
}

async function countSessions(db: Executor, at: string): Promise<number> {
  const counted = await db
    .selectFrom('operator_sessions')
    .select((eb) => eb.fn.countAll<number>().as('sessions'))
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow()
  return Number(counted.sessions)
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
