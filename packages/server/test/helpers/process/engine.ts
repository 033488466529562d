/** The storage engines of process tests, and queries of their databases. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { withDatabase } from '../postgres/database.ts'
import { createHubDatabase } from '../postgres/hub-database.ts'
import { isDeep } from '../time/tier.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** Runs one statement on its own connection, also while hubs are running. */
export type QueryDatabase = (sql: string) => Promise<Record<string, unknown>[]>

export type EngineSandbox = {
  sandbox: Sandbox
  queryDatabase: QueryDatabase
  /** Changes the database with one statement. */
  changeDatabase: (sql: string) => Promise<void>
  /** The port of PostgreSQL; null on SQLite. */
  port: number | null
}

export type ProcessEngine = {
  name: 'SQLite' | 'PostgreSQL'
  /** A sandbox whose commands share an empty database, which is deleted after the test. */
  createSandbox: (t: Pick<TestContext, 'after'>) => Promise<EngineSandbox>
}

export const sqlite: ProcessEngine = {
  name: 'SQLite',
  async createSandbox(t) {
    const sandbox = createSandbox(t)
    const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
    return {
      sandbox,
      queryDatabase: (sql) => querySqlite(path, sql),
      changeDatabase: async (sql) => changeSqlite(path, sql),
      port: null,
    }
  },
}

export const postgres: ProcessEngine = {
  name: 'PostgreSQL',
  async createSandbox(t) {
    // The database has its tables; another test starts hubs on a database without tables.
    const database = await createHubDatabase()
    // The sandbox stops its hubs before the database is dropped.
    const sandbox = createPostgresSandbox(t, database.url)
    t.after(() => database.drop())
    return sandbox
  },
}

/** For behaviour that can fail on only one engine. */
export const ENGINES = [sqlite, postgres]

/** For behaviour that hardly depends on the engine: this one in the quick tier, both in the deep tier. */
export function enginesForTier(engine: ProcessEngine): readonly ProcessEngine[] {
  return isDeep ? ENGINES : [engine]
}

/** A sandbox whose hubs share a database on PostgreSQL. */
export function createPostgresSandbox(t: Pick<TestContext, 'after'>, url: string): EngineSandbox {
  const env = { DATABASE_URL: url, HUB_SECRET: randomBytes(32).toString('hex') }
  return {
    sandbox: createSandbox(t, { env }),
    queryDatabase: (sql) => queryPostgres(url, sql),
    changeDatabase: async (sql) => void (await queryPostgres(url, sql)),
    port: Number(new URL(url).port),
  }
}

/**
 * Asserts that a write was stored with its history, counters and activity, or not at all.
 * @param pulled the number of records that pulls have created.
 */
export async function assertAtomicWrites(queryDatabase: QueryDatabase, pulled = 0): Promise<void> {
  // PostgreSQL returns sums and counts as strings.
  const readNumber = async (sql: string) =>
    Number(Object.values((await queryDatabase(sql))[0] ?? {})[0])
  const records = await readNumber('SELECT count(*) FROM records')
  assert.equal(await readNumber('SELECT sum(records) FROM module_counters'), records)
  assert.equal(await readNumber('SELECT sum(created) FROM hourly_counters'), records)
  assert.equal(
    await readNumber("SELECT count(*) FROM activity WHERE kind = 'push.created'"),
    records - pulled,
  )
  const received = await readNumber(
    'SELECT sum(received_post + received_patch) FROM hourly_counters',
  )
  assert.equal(await readNumber("SELECT count(*) FROM activity WHERE kind LIKE 'push.%'"), received)
  const updated = await readNumber('SELECT sum(updated) FROM hourly_counters')
  assert.equal(await readNumber('SELECT count(*) FROM record_history'), updated)
}

/** A checksum of each table that a write of a record changes: {@link EMPTY_TABLE_CHECKSUM} for an empty table. */
export async function checksumTables(
  { name }: ProcessEngine,
  queryDatabase: QueryDatabase,
): Promise<Record<string, string>> {
  // The system columns of PostgreSQL also change when a row is rewritten unchanged or locked.
  const columns = name === 'PostgreSQL' ? 't.ctid, t.xmin, t.xmax, t.*' : 't.*'
  const sums: Record<string, string> = {}
  for (const table of WRITTEN_TABLES) {
    const hash = createHash('sha256')
    for (const row of await queryDatabase(`SELECT ${columns} FROM ${table} AS t`)) {
      hash.update(JSON.stringify(row))
    }
    sums[table] = hash.digest('hex')
  }
  return sums
}

const WRITTEN_TABLES = [
  'records',
  'record_history',
  'hourly_counters',
  'module_counters',
  'write_sequence',
  'rejected_pushes',
]

export const EMPTY_TABLE_CHECKSUM = createHash('sha256').digest('hex')

/** Longer than any hub locks the file, even while it writes a large step on a slow machine. */
export const LOCK_MS = 60_000

async function querySqlite(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCK_MS })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

function changeSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path, { timeout: LOCK_MS })
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

async function queryPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return withDatabase(url, async (client) => (await client.query(sql)).rows)
}
