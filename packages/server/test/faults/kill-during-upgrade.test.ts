/** Processes that are killed while they upgrade a database. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { migrations } from '../../src/storage/sqlite/migrations/index.ts'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { createDatabaseFromTemplate } from '../helpers/postgres/database.ts'
import { openNodeStorage } from '../helpers/postgres/nodes.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { bareEnvironment, test } from '../helpers/process/sandbox.ts'
import { hashReference, TestClock } from '../helpers/storage/engine.ts'
import { EXTRA } from '../helpers/storage/extra-migrations.ts'
import { pushWrite, registerTestPlatform, write } from '../helpers/storage/fixtures.ts'
import { prepareDatabase, withDatabase } from '../helpers/storage/postgres.ts'
import { isDeep } from '../helpers/time/tier.ts'

const CHILD = fileURLToPath(new URL('../helpers/process/upgrade.child.ts', import.meta.url))
const RECORDS = 300
/** The migrations of this version, with the same names on both engines. */
const CURRENT = Object.keys(migrations)
/** The points of the quick tier: within the backup, on the copy, and between the two migrations of the database. */
const SHORT = ['backup: check', 'copy: table filled', 'database: second migration']

type Job = { engine: 'SQLite' | 'PostgreSQL'; location: string; backups: string }

/** Runs the upgrade. Kills the process at a point; without one, waits for its end. @returns the last line printed. */
async function runUpgrade(job: Job, blockAt = ''): Promise<string> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify({ ...job, blockAt })], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    if (line === blockAt) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return lines.at(-1) ?? ''
}

async function fill(storage: Awaited<ReturnType<typeof openSqlite>>): Promise<void> {
  const clock = new TestClock()
  const school = await registerTestPlatform({ storage, clock })
  const references = Array.from({ length: RECORDS }, (_, n) => `r-${n}`)
  await write(
    { storage, clock },
    ...references.map((reference) => pushWrite(school, { reference })),
  )
  await storage.close()
}

async function createJob(t: TestContext): Promise<Job> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-upgrade-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hub.sqlite')
  const options = { path, asHub: true, timeZone: 'UTC', clock: new TestClock(), hashReference }
  await fill(await openSqlite({ ...options, withThreads: false }))
  return { engine: 'SQLite', location: path, backups: join(folder, 'backups') }
}

/** Whether all records of a database are there, unmigrated or migrated completely. */
function readState({ location }: Job): 'old' | 'new' {
  using database = new DatabaseSync(location)
  const count = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0])
  assert.equal(count('SELECT count(*) FROM records'), RECORDS)
  assert.equal(database.prepare('PRAGMA quick_check').get()?.['quick_check'], 'ok')
  const applied = database.prepare('SELECT name FROM kysely_migration').all()
  const isNew = applied.length > CURRENT.length
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('records')
  assert.equal(
    columns.some(({ name }) => name === 'note'),
    isNew,
  )
  if (!isNew) return 'old'
  assert.deepEqual(
    applied.map(({ name }) => name),
    [...CURRENT, ...EXTRA],
  )
  assert.equal(
    count(`SELECT count(*) FROM records WHERE note = 'of ' || reference_number`),
    RECORDS,
  )
  assert.equal(count('SELECT count(*) FROM record_labels'), RECORDS)
  return 'new'
}

test('an upgrade on SQLite that is killed at any point continues at the next start', async (t) => {
  const job = await createJob(t)
  const points = [
    ...['before the backup', 'backup: copy', 'backup: check', 'after the backup'],
    ...['copy: column filled', 'copy: table filled'],
    ...['database: column added', 'database: column filled', 'database: second migration'],
    'database: table filled',
  ]
  const report = createFaultReport('SIGKILL during an upgrade', 'SQLite')
  for (const point of isDeep ? points : SHORT) {
    report.caused()
    assert.equal(await runUpgrade(job, point), point)
    assert.equal(readState(job), 'old', point)
  }
  assert.equal(await runUpgrade(job, 'opened'), 'opened')
  report.caused()
  report.ended()
  assert.equal(readState(job), 'new')
  assert.equal(await runUpgrade(job), 'done')
  report.recovered()
  assert.equal(readState(job), 'new')
  report.save({ acknowledged: RECORDS, lost: 0, duplicated: 0 })
  assert.deepEqual(
    readdirSync(join(job.backups, '..')).filter((name) => name.includes('rehearsal')),
    [],
  )
  const backups = readdirSync(job.backups).filter((name) => !name.startsWith('.'))
  assert.deepEqual(backups, [`before-${EXTRA[0]}-at-${RECORDS}.recordhub-backup`])
})

test('an upgrade on PostgreSQL that is killed at any point continues at the next start', async (t) => {
  const database = await createDatabaseFromTemplate(prepareDatabase)
  t.after(() => database.drop())
  await fill(await openNodeStorage(database.url, new TestClock()))
  const job: Job = { engine: 'PostgreSQL', location: database.url, backups: '' }
  const read = () =>
    withDatabase(database.url, async (client) => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*)::int FROM records) AS records,
          (SELECT count(*)::int FROM kysely_migration) AS applied,
          to_regclass('record_labels') IS NOT NULL AS has_labels`,
      )
      return rows[0]
    })
  const points = ['column added', 'column filled', 'second migration', 'table filled']
  const report = createFaultReport('SIGKILL during an upgrade', 'PostgreSQL')
  for (const point of isDeep ? points : ['second migration', 'table filled']) {
    report.caused()
    assert.equal(await runUpgrade(job, point), point)
    const old = { records: RECORDS, applied: CURRENT.length, has_labels: false }
    assert.deepEqual(await read(), old, point)
  }
  report.ended()
  assert.equal(await runUpgrade(job), 'done')
  report.recovered()
  const upgraded = { records: RECORDS, applied: CURRENT.length + EXTRA.length, has_labels: true }
  assert.deepEqual(await read(), upgraded)
  report.save({ acknowledged: RECORDS, lost: 0, duplicated: 0 })
})
