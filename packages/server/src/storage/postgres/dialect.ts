/** The small differences of PostgreSQL, for the stores that both engines share. */
import { type RawBuilder, sql } from 'kysely'
import type { ServerDurability } from '../../domain/alerts/alert.ts'
import type { HashReference } from '../../domain/record/erasure.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { runPeriodically } from '../../lib/time/run-periodically.ts'
import type { EngineInfo } from '../port/storage.ts'
import type { ContainsIgnoringCase } from '../shared/activity/activity-store.ts'
import type { ErasureDialect } from '../shared/deletion/erasure-store.ts'
import type { Decision, DecisionRows, SelectRowsOf } from '../shared/reverts/scope-history.ts'
import { type Executor, integerOf } from '../shared/schema/databases.ts'
import { allocateSequence } from './commit-watermark.ts'
import type { PostgresConnections } from './connection.ts'
import { acquireLock } from './locks.ts'

/** Returns a subquery of these ids. Its SQL text does not depend on their number. */
export function idList(ids: number[]): RawBuilder<number> {
  return sql<number>`(SELECT unnest(${ids}::bigint[]))`
}

/**
 * As `SelectByIds`. Each id is looked up by itself: a planner that does not know yet how many rows a large pull has written
 * would read all of them for each few ids.
 */
export function selectByIds<Row>(ids: number[], select: SelectRowsOf<Row>): RawBuilder<Row> {
  const selected = select((column) => sql`${sql.ref(column)} = one.id`)
  return sql<Row>`
    SELECT w.* FROM unnest(${ids}::bigint[]) AS one (id)
    CROSS JOIN LATERAL (SELECT * FROM ${selected} AS s OFFSET 0) AS w`
}

/** As `DecisionRows`. */
export const decisionRows: DecisionRows = (decisions) => {
  const column = (name: keyof Decision) => sql`${decisions.map((one) => one[name])}::bigint[]`
  const columns = [column('record_id'), column('platform_id'), column('decided_seq')]
  return sql<Decision>`(SELECT * FROM unnest(${sql.join(columns)}) AS w (record_id, platform_id, decided_seq))`
}

/** Case-insensitive for A to Z only, whatever the locale, as on SQLite. */
export const containsIgnoringCase: ContainsIgnoringCase = (column, text) =>
  sql<boolean>`strpos(lower(${column} COLLATE "C"), ${text}) > 0`

export function createErasureDialect(hashReference: HashReference): ErasureDialect {
  return {
    hashReference,
    contains: (column, text) => sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`,
    allocateSequence,
    async deleteText(db, { platform_id, record_id }) {
      await acquireLock(db, 'text index')
      await sql`
        DELETE FROM record_search WHERE platform_id = ${platform_id} AND record_id = ${record_id}
      `.execute(db)
    },
    // VACUUM and later writes overwrite deleted rows; docs/operations.md says so.
    purge: async () => undefined,
  }
}

/** Reads which transactions the statement sees: the first one that has not begun, and those in progress. */
export async function readVersion(db: Executor): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    SELECT pg_current_snapshot()::text AS version
  `.execute(db)
  return rows[0]?.version ?? ''
}

/** Reads the version of the server, and the size of the whole database, including indexes. */
export async function readEngineInfo(db: Executor): Promise<EngineInfo> {
  const { rows } = await sql<{ engine_version: string; bytes: number }>`
    SELECT current_setting('server_version') AS engine_version,
      pg_database_size(current_database()) AS bytes
  `.execute(db)
  const { engine_version = '', bytes = 0 } = rows[0] ?? {}
  return { engine: 'postgres', engine_version, bytes }
}

/**
 * Reads the settings and standbys that decide whether committed writes survive. Among the replication connections, a
 * standby is one that reports a replayed position: programs that copy or archive the write-ahead log report none.
 * Subscriptions also replay, but use a logical slot. A role without `pg_read_all_stats` (`pg_monitor`) sees only that
 * there are connections, and their names.
 */
export async function readDurability(db: Executor): Promise<ServerDurability> {
  const { rows } = await sql<ServerDurability>`
    SELECT current_setting('fsync')::bool AS fsync,
      current_setting('full_page_writes')::bool AS full_page_writes,
      current_setting('synchronous_standby_names') AS synchronous_standby_names,
      count(*) FILTER (WHERE replay_lsn IS NOT NULL)::int AS standbys,
      count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous_standbys,
      count(*) FILTER (WHERE state IS NULL
        AND application_name NOT IN ('pg_basebackup', 'pg_receivewal'))::int AS hidden_connections
    FROM pg_stat_replication r
    WHERE NOT EXISTS (SELECT FROM pg_replication_slots s
      WHERE s.active_pid = r.pid AND s.slot_type = 'logical')
  `.execute(db)
  // An aggregate without GROUP BY returns one row.
  const [durability] = rows
  if (!durability) throw new Error('The server returned no row')
  return durability
}

/** Reading all of a table of this size takes less than a millisecond. */
const SMALL_TABLE_BYTES = 262_144

/**
 * As `Storage.updatePlannerStatistics`. Autovacuum analyzes the same tables up to a minute after they have grown, or later;
 * until then, plans made for empty tables read all of their rows. The sizes are those of the files, because the server
 * counts changed rows with a delay.
 */
export async function analyzeGrownTables(db: Executor): Promise<void> {
  const { rows } = await sql<{ relname: string }>`
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND pg_relation_size(oid) > ${sql.lit(SMALL_TABLE_BYTES)}
      AND pg_relation_size(oid) > 2 * relpages::int8 * current_setting('block_size')::int8
  `.execute(db)
  if (rows.length === 0) return
  const tables = sql.join(rows.map(({ relname }) => sql.table(relname)))
  // A table that another process analyzes, or whose indexes are being changed, is skipped.
  await sql`ANALYZE (SKIP_LOCKED) ${tables}`.execute(db)
}

const CLOCK_INTERVAL_MS = 30_000

type DatabaseClock = Clock & { stop: () => Promise<void> }

/**
 * Starts a clock that follows the time of the database, which all nodes share: a node whose own clock is fast would
 * consider the leases of other nodes expired. The clock queries the database at intervals and adds the elapsed monotonic
 * time.
 */
export async function startDatabaseClock(
  connections: Pick<PostgresConnections, 'query'>,
): Promise<DatabaseClock> {
  let measured = await measure(connections)
  const stopping = new AbortController()
  const measuring = runPeriodically(CLOCK_INTERVAL_MS, stopping.signal, async () => {
    // While the database is unavailable, the clock continues from the last measurement.
    measured = await measure(connections).catch(() => measured)
  })
  return {
    now: () => new Date(measured.time + performance.now() - measured.at),
    async stop() {
      stopping.abort()
      await measuring
    },
  }
}

async function measure({ query }: Pick<PostgresConnections, 'query'>) {
  const sentAt = performance.now()
  const { rows } = await query(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time',
  )
  return { time: integerOf(rows[0] ?? {}, 'time'), at: (sentAt + performance.now()) / 2 }
}
