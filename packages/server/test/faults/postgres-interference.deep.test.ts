/** An administrator interferes with the PostgreSQL database of running hubs. */
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
import { until } from '../helpers/time/until.ts'
import { startHubsWithPusher } from './postgres-interference.ts'

test('hubs recover without intervention after the database was read-only', async (t) => {
  const { database, hubs, operator, hubApiKey, ledger, queryDatabase } =
    await startHubsWithPusher(t)
  const report = createFaultReport('PostgreSQL read-only', 'PostgreSQL')
  const pushing = startPushing(t, hubs, ledger, { name: 'on', hubApiKey, connections: 24 })
  const waitForResults = (count: number, matches: typeof isAcknowledged) =>
    Promise.all(
      [0, 1].map((hub) => pushing.untilAttempts(count, (one) => one.hub === hub && matches(one))),
    )
  const runAsAdministrator = async (...statements: string[]) =>
    withDatabase(await testServerUrl(), async (administrator) => {
      for (const statement of statements) await administrator.query(statement)
    })
  await waitForResults(50, isAcknowledged)
  const readOnly = `ALTER DATABASE ${database.name} SET default_transaction_read_only`
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`
  await runAsAdministrator(`${readOnly} = on`, terminate)
  report.caused()
  await waitForResults(50, (one) => !isAcknowledged(one))
  for (const { address } of hubs) {
    await until(
      async () => ((await fetch(`${address}/readyz`)).status === 503 ? true : null),
      'the hub is not ready',
    )
  }

  await runAsAdministrator(`${readOnly} = off`)
  report.ended()
  await waitForResults(1, isAcknowledged)
  report.recovered()
  await waitForResults(50, isAcknowledged)
  await pushing.finish()
  for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
  for (const hub of hubs) await untilReady(hub)
  report.save(await ledger.compare(operator))
  await ledger.assertStored(operator)
  await assertAtomicWrites(queryDatabase)
})
