/**
 * Databases of released schemas, as SQL text, and what their hubs returned. `create-fixture.ts` writes them from running
 * hubs; `upgrade-fixtures.test.ts` upgrades them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { HistoryEntry } from '@recordhub/protocol'
import type { QueryDatabase } from '../helpers/process/engine.ts'
import {
  listHistory,
  listRecords,
  type Operator,
  readSnapshot,
  sendRequest,
} from '../helpers/process/operator.ts'
import { withDatabase } from '../helpers/storage/postgres.ts'

const FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url))

/** The secret of all fixtures. It protects nothing. */
export const FIXTURE_SECRET = 'the secret of the upgrade fixtures'

export type FixtureEngine = 'sqlite' | 'postgres'

/** The folder of the fixture of a schema, named by its last migration. */
export function fixtureFolder(schema: string): string {
  return `${FOLDER}${schema}/`
}

/** The schemas that have a fixture, oldest first. */
export function listFixtures(): string[] {
  return readdirSync(FOLDER).toSorted()
}

/** What a hub returned before its database was saved, and the keys with which others access it. */
export type FixtureState = {
  keys: { hub_api_key: string; token: string }
  state: Awaited<ReturnType<typeof readState>>
}

export function readFixture(
  schema: string,
  engine: FixtureEngine,
): { dump: string; expected: FixtureState } {
  const folder = fixtureFolder(schema)
  return {
    dump: readFileSync(`${folder}${engine}.sql`, 'utf8'),
    expected: JSON.parse(readFileSync(`${folder}${engine}.json`, 'utf8')),
  }
}

/** Reads everything of a hub that an upgrade must keep, through its API and, for counters, from its database. */
export async function readState(operator: Operator, queryDatabase: QueryDatabase) {
  const get = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await sendRequest(operator, 'GET', `/api/v1/${path}`))
  const records = await listRecords(operator)
  const history: Record<string, HistoryEntry[]> = {}
  for (const { record_id } of records) history[record_id] = await listHistory(operator, record_id)
  const { platforms, modules, records: count } = (await readSnapshot(operator)).stats
  return {
    records,
    history,
    stats: { platforms, modules, records: count },
    counters: await readCounters(queryDatabase),
    platforms: await get('platforms'),
    drift: await get('platforms/1/drift'),
    completeness: await get('completeness'),
    indexed_fields: await get('platforms/1/modules/person/indexed-fields'),
    views: await get('views'),
    tombstones: await get('tombstones'),
    rejected_pushes: await get('rejected-pushes'),
    invitations: await get('invitations'),
    pulls: await get('pulls'),
    schedule_paused: (await readSnapshot(operator)).pull.schedule_paused,
    ...(await readChanging(get)),
  }
}

/** Lists with members that change with each use, and alerts that the machine itself may raise. */
async function readChanging(get: (path: string) => Promise<Record<string, unknown>>) {
  const rowsOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value : [])
  const pick = (value: unknown, names: string[]) =>
    rowsOf(value).map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
  const { operators } = await get('operators')
  const { tokens } = await get('tokens')
  const { alerts } = await get('alerts')
  return {
    operators: pick(operators, ['email', 'name', 'role', 'disabled_at']),
    tokens: pick(tokens, ['name', 'role', 'hint', 'created_at', 'expires_at']),
    alerts: pick(
      rowsOf(alerts).filter(({ kind }) => kind === 'platform_failing'),
      ['kind', 'raised_at', 'acknowledged_by'],
    ),
  }
}

async function readCounters(queryDatabase: QueryDatabase): Promise<Record<string, number>> {
  const [hours = {}] = await queryDatabase(`SELECT sum(received_post) AS received_post,
    sum(received_patch) AS received_patch, sum(received_pull) AS received_pull,
    sum(created) AS created, sum(updated) AS updated, sum(unchanged) AS unchanged,
    sum(stale) AS stale, sum(rejected) AS rejected FROM hourly_counters`)
  const [modules = {}] = await queryDatabase(
    'SELECT sum(records) AS records, sum(pushes) AS pushes FROM module_counters',
  )
  const [rows = {}] = await queryDatabase(`SELECT (SELECT count(*) FROM activity
    WHERE kind LIKE 'push.%') AS pushes_logged, (SELECT count(*) FROM secrets) AS secrets`)
  return Object.fromEntries(
    Object.entries({ ...hours, ...modules, ...rows }).map(([name, value]) => [name, Number(value)]),
  )
}

/** Returns SQL that creates a SQLite database with its rows. */
export function dumpSqlite(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true })
  const objects = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'
       ORDER BY type = 'trigger', type = 'view', type = 'index', rowid`,
    )
    .all()
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => String(name))
  const rows = [...tables, 'sqlite_sequence'].flatMap((table) =>
    database
      .prepare(`SELECT * FROM "${table}"`)
      .all()
      .map((row) => {
        const names = Object.keys(row).map((name) => `"${name}"`)
        const values = Object.values(row).map(toLiteral)
        return `INSERT INTO "${table}" (${names}) VALUES (${values});`
      }),
  )
  const definitions = (isTable: boolean) =>
    objects.filter(({ type }) => (type === 'table') === isTable).map(({ sql }) => `${String(sql)};`)
  return [
    'PRAGMA auto_vacuum = INCREMENTAL;',
    'PRAGMA journal_mode = WAL;',
    'BEGIN;',
    ...definitions(true),
    'DELETE FROM sqlite_sequence;',
    ...rows,
    ...definitions(false),
    'COMMIT;',
    '',
  ].join('\n')
}

function toLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (value === null || typeof value === 'number') return String(value)
  throw new TypeError(`A fixture cannot contain a ${typeof value}`)
}

export function loadSqlite(path: string, dump: string): void {
  using database = new DatabaseSync(path)
  database.exec(dump)
}

/** Loads the output of `pg_dump --inserts` into an empty database. Lines with commands of psql are left out. */
export async function loadPostgres(url: string, dump: string): Promise<void> {
  const statements = dump.replaceAll(/^\\.*$/gm, '')
  await withDatabase(url, async (client) => void (await client.query(statements)))
}
