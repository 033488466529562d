/** The storage engines of process tests, and the content of their databases. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { databaseFromTemplate } from '../postgres/database.ts'
import { fill, withDatabase } from '../storage/postgres.ts'
import { isDeep } from '../time/tier.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** Runs one statement on its own connection, while hubs are running. */
export type AskDatabase = (sql: string) => Promise<Record<string, unknown>[]>

export type EngineSandbox = { sandbox: Sandbox; askDatabase: AskDatabase }

export type ProcessEngine = {
  name: 'SQLite' | 'PostgreSQL'
  /** A sandbox whose commands share an empty database, which is deleted with the test. */
  createSandbox: (t: Pick<TestContext, 'after'>) => Promise<EngineSandbox>
}

export const sqlite: ProcessEngine = {
  name: 'SQLite',
  async createSandbox(t) {
    const sandbox = createSandbox(t)
    const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
    return { sandbox, askDatabase: (sql) => askSqlite(path, sql) }
  },
}

export const postgres: ProcessEngine = {
  name: 'PostgreSQL',
  async createSandbox(t) {
    // Another test starts several hubs on a database without tables.
    const database = await databaseFromTemplate(fill)
    const hubs = sandboxOn(t, database.url)
    t.after(() => database.drop())
    return hubs
  },
}

/** For behaviour of both engines that could break on only one of them. */
export const ENGINES = [sqlite, postgres]

/** For behaviour that hardly depends on the engine: the quick tier uses this one, the deep tier both. */
export function quickOn(engine: ProcessEngine): readonly ProcessEngine[] {
  return isDeep ? ENGINES : [engine]
}

/** A sandbox whose hubs share a database on PostgreSQL. */
export function sandboxOn(t: Pick<TestContext, 'after'>, url: string): EngineSandbox {
  const env = { DATABASE_URL: url, HUB_SECRET: randomBytes(32).toString('hex') }
  return { sandbox: createSandbox(t, { env }), askDatabase: (sql) => askPostgres(url, sql) }
}

/** Asserts that a write was stored with its history, counters and activity, or not at all. */
export async function assertWholeWrites(askDatabase: AskDatabase): Promise<void> {
  // Sums and counts are texts on PostgreSQL.
  const ask = async (sql: string) => Number(Object.values((await askDatabase(sql))[0] ?? {})[0])
  const records = await ask('SELECT count(*) FROM records')
  assert.equal(await ask('SELECT sum(records) FROM module_counters'), records)
  assert.equal(await ask('SELECT sum(created) FROM hourly_counters'), records)
  assert.equal(await ask("SELECT count(*) FROM activity WHERE kind = 'push.created'"), records)
  const received = await ask('SELECT sum(received_post + received_patch) FROM hourly_counters')
  assert.equal(await ask("SELECT count(*) FROM activity WHERE kind LIKE 'push.%'"), received)
  const updated = await ask('SELECT sum(updated) FROM hourly_counters')
  assert.equal(await ask('SELECT count(*) FROM record_history'), updated)
}

/** The content of every table that a write of a record changes; an empty one has {@link NOTHING}. */
export async function checksumTables(
  { name }: ProcessEngine,
  askDatabase: AskDatabase,
): Promise<Record<string, string>> {
  // On PostgreSQL with the positions and transactions of the rows: this also detects rows that are
  // rewritten unchanged, and row locks, which are writes there too.
  const columns = name === 'PostgreSQL' ? 't.ctid, t.xmin, t.xmax, t.*' : 't.*'
  const sums: Record<string, string> = {}
  for (const table of WRITTEN) {
    const hash = createHash('sha256')
    for (const row of await askDatabase(`SELECT ${columns} FROM ${table} AS t`)) {
      hash.update(JSON.stringify(row))
    }
    sums[table] = hash.digest('hex')
  }
  return sums
}

const WRITTEN = [
  'records',
  'record_history',
  'hourly_counters',
  'module_counters',
  'write_sequence',
  'rejected_pushes',
]

export const NOTHING = createHash('sha256').digest('hex')

/** Longer than a hub locks the file on any machine, for example when it is killed or writes a large step. */
export const LOCK_MS = 60_000

async function askSqlite(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: LOCK_MS })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

async function askPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return withDatabase(url, async (client) => (await client.query(sql)).rows)
}
