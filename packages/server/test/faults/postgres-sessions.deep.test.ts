/** An administrator interferes with the PostgreSQL database of running hubs. */
import assert from 'node:assert/strict'
import { testServerUrl, withDatabase } from '../helpers/postgres/database.ts'
import { assertAtomicWrites } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { untilReady } from '../helpers/process/operator.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'
import { startHubsWithPusher } from './postgres-interference.ts'

test('cancelled statements and terminated connections cause at most 503 responses to pushes', async (t) => {
  const { database, hubs, operator, hubApiKey, ledger, queryDatabase } =
    await startHubsWithPusher(t)
  for (const [interfere, fault] of [
    ['pg_cancel_backend', 'PostgreSQL statements cancelled'],
    ['pg_terminate_backend', 'PostgreSQL sessions terminated'],
  ] as const) {
    const report = createFaultReport(fault, 'PostgreSQL')
    const before = ledger.acknowledged()
    const work = { name: interfere, hubApiKey, connections: rounds(8, 24) }
    const pushing = startPushing(t, hubs, ledger, work)
    await withDatabase(await testServerUrl(), async (administrator) => {
      const signalled: number[] = []
      for (let round = 0; round < rounds(2, 20); round += 1) {
        await pushing.untilAttempts(10, () => true)
        const { rows } = await administrator.query<{ pid: number }>(
          `SELECT pid, ${interfere}(pid) FROM pg_stat_activity WHERE datname = $1`,
          [database.name],
        )
        signalled.push(...rows.map(({ pid }) => pid))
        report.caused()
        report.ended()
        await pushing.untilAttempts(1, isAcknowledged)
        report.recovered()
      }
      await pushing.finish()
      if (interfere === 'pg_cancel_backend') return
      // A session may end some time after it is signalled.
      await until(async () => {
        const { rowCount } = await administrator.query(
          'SELECT FROM pg_stat_activity WHERE pid = ANY($1)',
          [signalled],
        )
        return rowCount === 0 ? true : null
      }, 'the terminated sessions have ended')
    })
    for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
    for (const hub of hubs) await untilReady(hub)
    const compared = await ledger.compare(operator)
    report.save({ ...compared, acknowledged: compared.acknowledged - before })
    await ledger.assertStored(operator)
    await assertAtomicWrites(queryDatabase)
  }
  for (const hub of hubs) assert.deepEqual(await hub.stop(), { code: 0, signal: null })
})
