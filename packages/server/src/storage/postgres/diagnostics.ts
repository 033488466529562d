/** Reads a database in any state, for `recordhub doctor`. */
import { sql } from 'kysely'
import { recordTokens } from '../../domain/search/search-tokens.ts'
import { HubError, messageOf } from '../../errors.ts'
import type { DatabaseProblem, DiagnosticsStore } from '../port/diagnostics-store.ts'
import {
  createSharedDiagnostics,
  findBrokenReferences,
  readSchemaState,
  sampleRecords,
} from '../shared/diagnostics/shared-diagnostics.ts'
import type { Executor } from '../shared/schema/databases.ts'
import { readFeedPosition } from '../shared/search/field-index.ts'
import { readLag } from '../shared/search/search-index.ts'
import { readLastSequence } from './commit-watermark.ts'
import { describeServer, openUnlimited } from './connection.ts'
import { readDurability, readEngineInfo } from './dialect.ts'
import { LIVENESS_LOCK } from './locks.ts'
import { codeOf, toStartupError } from './map-error.ts'
import { migrations } from './migrations/index.ts'
import { bigintArray } from './parameters.ts'
import { waitForDatabase } from './wait-for-database.ts'

const MAX_PROBLEMS = 100

const SETTINGS = ['synchronous_commit', 'default_transaction_read_only', 'server_encoding']

/** @throws HubError as `openPostgres` if the server cannot be reached or rejects the connection. */
export async function openDiagnostics(url: string): Promise<DiagnosticsStore> {
  const { server, database: name } = describeServer(url)
  await waitForDatabase(url, { seconds: 0 }, () => undefined)
  const { database: db, close } = openUnlimited(url)
  try {
    await sql`SET default_transaction_read_only = on`.execute(db)
  } catch (error) {
    await close()
    throw toStartupError(error)
  }

  return {
    ...createSharedDiagnostics(db),
    engine: 'postgres',
    location: `${server}/${name}`,

    readSchema: () =>
      readSchemaState(
        db,
        migrations,
        sql`SELECT 1 WHERE to_regclass('kysely_migration') IS NOT NULL`,
      ),

    async readServer() {
      const { engine_version, bytes } = await readEngineInfo(db)
      const { rows } = await sql<{ now: number }>`
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      `.execute(db)
      // `reset_val`: this session has changed some of them.
      const { rows: settings } = await sql<{ name: string; reset_val: string }>`
        SELECT name, reset_val FROM pg_settings WHERE name = ANY (${SETTINGS})
      `.execute(db)
      return {
        ...{ engine_version, bytes, log_bytes: null },
        now: new Date(rows[0]?.now ?? 0).toISOString(),
        settings: Object.fromEntries(settings.map((row) => [row.name, row.reset_val])),
        durability: await readDurability(db),
      }
    },

    async findDamage() {
      const { rows: failed } = await sql<{ n: number }>`
        SELECT coalesce(checksum_failures, 0) AS n FROM pg_stat_database
        WHERE datname = current_database()
      `.execute(db)
      const failures = failed[0]?.n ?? 0
      const checksums: DatabaseProblem[] =
        failures > 0
          ? [{ kind: 'damaged', name, detail: `${failures} pages had a wrong checksum` }]
          : []
      return [...checksums, ...((await hasAmcheck(db)) ? await verifyIndexes(db) : [])]
    },

    canVerifyIndexes: () => hasAmcheck(db),

    findDefects: () => findDefects(db),
    // PostgreSQL itself guarantees foreign keys that are validated.
    findBrokenReferences: () => findBrokenReferences(db),

    async readSearchIndex() {
      const position = await readFeedPosition(db, 'texts')
      const last_change = await readLastSequence(db)
      return { state: 'current', position, last_change, ...(await readLag(db, position)) }
    },

    async sampleSearchIndex(size) {
      const records = await sampleRecords(db, await readFeedPosition(db, 'texts'), size)
      const ids = bigintArray(records.map(({ record_id }) => record_id))
      // One statement sees the records and the index as of the same time.
      const { rows } = await sql<IndexedRecord>`
        SELECT r.record_id, r.full_name, r.reference_number, r.data,
          tsvector_to_array(s.tokens) AS tokens
        FROM records r LEFT JOIN record_search s USING (platform_id, record_id)
        WHERE r.record_id = ANY (${ids}::bigint[]) AND r.change_seq <= (
          SELECT position FROM change_feed_positions WHERE consumer LIKE 'text index%'
          ORDER BY position DESC LIMIT 1)
      `.execute(db)
      const missing = rows.filter((row) => !hasTokens(row)).map(({ record_id }) => record_id)
      return { sampled: rows.length, missing }
    },

    async isHubRunning() {
      const { rows } = await sql<{ running: boolean }>`
        SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
          AND classid = ${sql.lit(LIVENESS_LOCK)}
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS running
      `.execute(db)
      return rows[0]?.running ?? false
    },

    close,
  }
}

type IndexedRecord = {
  record_id: number
  full_name: string
  reference_number: string
  data: string
  tokens: string[] | null
}

function hasTokens({ tokens, ...record }: IndexedRecord): boolean {
  const indexed = new Set(tokens ?? [])
  return recordTokens(record)
    .split(' ')
    .every((token) => token === '' || indexed.has(token))
}

async function hasAmcheck(db: Executor): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 FROM pg_extension WHERE extname = 'amcheck'
      AND has_function_privilege((SELECT min(p.oid) FROM pg_proc p
        WHERE p.proname = 'bt_index_check'), 'EXECUTE')
  `.execute(db)
  return rows.length > 0
}

/** Verifies each B-tree index, without a lock that writes wait for. */
async function verifyIndexes(db: Executor): Promise<DatabaseProblem[]> {
  const { rows } = await sql<{ oid: number; name: string }>`
    SELECT i.indexrelid::int8 AS oid, c.relname AS name FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
    WHERE a.amname = 'btree' AND i.indisvalid AND c.relnamespace = current_schema()::regnamespace
    ORDER BY c.relname
  `.execute(db)
  const problems: DatabaseProblem[] = []
  for (const { oid, name } of rows) {
    if (problems.length === MAX_PROBLEMS) break
    try {
      await sql`SELECT bt_index_check(${oid}::oid::regclass, true)`.execute(db)
    } catch (error) {
      const cause = error instanceof HubError ? error.cause : error
      if (!CORRUPTION.test(codeOf(cause))) throw error
      problems.push({ kind: 'invalid_index', name, detail: messageOf(cause) })
    }
  }
  return problems
}

/** `data_corrupted` and `index_corrupted` (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CORRUPTION = /^XX00[12]$/

async function findDefects(db: Executor): Promise<DatabaseProblem[]> {
  const { rows: indexes } = await sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = current_schema()::regnamespace
      AND NOT (i.indisvalid AND i.indisready AND i.indislive) ORDER BY 1
  `.execute(db)
  const { rows: constraints } = await sql<{ name: string; tab: string }>`
    SELECT conname AS name, conrelid::regclass::text AS tab FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND NOT convalidated ORDER BY 1
  `.execute(db)
  const { rows: cached } = await sql<{ name: string; cache_size: number }>`
    SELECT sequencename AS name, cache_size FROM pg_sequences
    WHERE schemaname = current_schema() AND cache_size <> 1 ORDER BY 1
  `.execute(db)
  return [
    ...indexes.map(({ name }) => ({
      ...{ kind: 'invalid_index' as const, name, detail: 'PostgreSQL does not use it' },
    })),
    ...constraints.map(({ name, tab }) => ({
      ...{ kind: 'not_validated' as const, name, detail: `a constraint of ${tab}` },
    })),
    ...cached.map(({ name, cache_size }) => ({
      ...{ kind: 'sequence_cached' as const, name, detail: `its cache is ${cache_size}` },
    })),
    ...(await findSequencesBehind(db)),
  ]
}

async function findSequencesBehind(db: Executor): Promise<DatabaseProblem[]> {
  const { rows: identities } = await sql<{ tab: string; col: string; sequence: string }>`
    SELECT table_name AS tab, column_name AS col,
      pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES' ORDER BY 1
  `.execute(db)
  const used = [
    ...identities,
    { tab: 'records', col: 'change_seq', sequence: 'write_sequence' },
    { tab: 'record_deletions', col: 'change_seq', sequence: 'write_sequence' },
  ]
  const problems: DatabaseProblem[] = []
  for (const { tab, col, sequence } of used) {
    // The rows are read first: the sequence only grows.
    const { rows: max } = await sql<{ value: number }>`
      SELECT coalesce(max(${sql.ref(col)}), 0) AS value FROM ${sql.table(tab)}
      ${sql.raw(col === 'change_seq' && tab === 'records' ? 'WHERE pushed_seq >= 0' : '')}
    `.execute(db)
    const { rows: last } = await sql<{ value: number }>`
      SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS value
      FROM ${sql.raw(sequence)}
    `.execute(db)
    const [highest, value] = [max[0]?.value ?? 0, last[0]?.value ?? 0]
    if (value >= highest) continue
    const detail = `its value is ${value}, but ${tab} has ${highest}`
    problems.push({ kind: 'sequence_behind', name: sequence, detail })
  }
  return problems
}
