/** Platforms push while a table of the database is locked. */
import assert from 'node:assert/strict'
import { scrapeProcess } from '../helpers/hub/scrape.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { isAcknowledged, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { untilTrue } from '../helpers/time/until.ts'
import { assertEmpty, startHubOnPostgres } from './overload.ts'

test('pushes that wait for a locked table of PostgreSQL are stored when the lock ends', async (t) => {
  const { hub, operator, hubApiKey, ledger, lockRecords } = await startHubOnPostgres(t)
  const report = createFaultReport('overload: locked table', 'PostgreSQL')
  const connections = 400
  const lock = await lockRecords()
  report.caused()
  const pushing = startPushing(t, [hub], ledger, { name: 'locked', hubApiKey, connections })
  await untilTrue('all of them wait', async () => {
    const gauges = await scrapeProcess(hub)
    return gauges.get('recordhub_bodies{sender="platform"}') === connections
  })
  assert.equal((await fetch(`${hub.address}/healthz`)).status, 200)
  await lock.release()
  report.ended()
  await pushing.untilAttempts(1, isAcknowledged)
  report.recovered()
  await pushing.untilAttempts(connections, isAcknowledged)
  await pushing.finish()
  report.save(await ledger.compare(operator))
  await ledger.assertStored(operator)
  await assertEmpty(hub)
})
