/** Processes that are killed while they upgrade a database. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { test } from '../helpers/process/sandbox.ts'
import { hashReference, TestClock } from '../helpers/storage/engine.ts'
import { EXTRA } from '../helpers/storage/extra-migrations.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { CURRENT, fill, type Job, RECORDS, runUpgrade } from './kill-during-upgrade.ts'

/** The point of the quick tier, between the two migrations of the database. */
const SHORT = ['database: second migration']

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
  if (isDeep) {
    assert.equal(await runUpgrade(job, 'opened'), 'opened')
    report.caused()
    assert.equal(readState(job), 'new')
  }
  report.ended()
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
