/** Processes that are killed while they upgrade a database. */
import assert from 'node:assert/strict'
import { withDatabase } from '../helpers/postgres/database.ts'
import { createHubDatabase } from '../helpers/postgres/hub-database.ts'
import { openNodeStorage } from '../helpers/postgres/nodes.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { test } from '../helpers/process/sandbox.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { EXTRA } from '../helpers/storage/extra-migrations.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { CURRENT, fill, type Job, RECORDS, runUpgrade } from './kill-during-upgrade.ts'

test('an upgrade on PostgreSQL that is killed at any point continues at the next start', async (t) => {
  const database = await createHubDatabase()
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
