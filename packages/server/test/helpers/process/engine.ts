/** The engines that hubs of the process tests store on, and what their databases hold, seen from outside. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { databaseFromTemplate } from '../postgres/database.ts'
import { fill, withDatabase } from '../storage/postgres.ts'
import { isDeep } from '../time/tier.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** One statement on a connection of its own, beside the running hubs. */
export type AskDatabase = (sql: string) => Promise<Record<string, unknown>[]>

export type EngineSandbox = { sandbox: Sandbox; askDatabase: AskDatabase }

export type ProcessEngine = {
  name: 'SQLite' | 'PostgreSQL'
  /** A sandbox whose commands share a database without records, which goes with the test. */
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
    // A hub that finds no tables is tried where several start at once.
    const database = await databaseFromTemplate(fill)
    const hubs = sandboxOn(t, database.url)
    t.after(() => database.drop())
    return hubs
  },
}

/** For what is promised whatever the engine, and could break on one of them alone. */
export const ENGINES = [sqlite, postgres]

/** For what hardly depends on the engine: the quick tier runs it on this one, the deep tier on both. */
export function quickOn(engine: ProcessEngine): readonly ProcessEngine[] {
  return isDeep ? ENGINES : [engine]
}

/** A sandbox whose hubs share a database on PostgreSQL. */
export function sandboxOn(t: Pick<TestContext, 'after'>, url: string): EngineSandbox {
  const env = { DATABASE_URL: url, HUB_SECRET: randomBytes(32).toString('hex') }
  return { sandbox: createSandbox(t, { env }), askDatabase: (sql) => askPostgres(url, sql) }
}

/** A write comes with its history, counters and activity, or not at all. */
export async function checkWrites(askDatabase: AskDatabase): Promise<void> {
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

/** Of every table that a write of a record touches; an empty one has {@link NOTHING}. */
export async function checksumTables(
  { name }: ProcessEngine,
  askDatabase: AskDatabase,
): Promise<Record<string, string>> {
  // On PostgreSQL with the places and the transactions of the rows: not even what is written again
  // as it was, nor a lock on a row, which is a write there too, goes unnoticed.
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

/** Longer than a hub holds the file on any machine, as when it is killed or writes a large step. */
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
