/** An administrator interferes with the PostgreSQL database of running hubs. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createDatabaseFromTemplate, testServerUrl } from '../helpers/postgres/database.ts'
import { assertAtomicWrites, createPostgresSandbox } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { untilReady } from '../helpers/process/operator.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { prepareDatabase, withDatabase } from '../helpers/storage/postgres.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

test('cancelled statements and terminated connections cause at most 503 responses to pushes', async (t) => {
  const { database, hubs, operator, hubApiKey, ledger, queryDatabase } =
    await startHubsWithPusher(t)
  for (const [interfere, fault] of [
    ['pg_cancel_backend', 'PostgreSQL statements cancelled'],
    ['pg_terminate_backend', 'PostgreSQL sessions terminated'],
  ] as const) {
    const report = createFaultReport(fault, 'PostgreSQL')
    const before = ledger.acknowledged()
    const work = { name: interfere, hubApiKey, connections: 24 }
    const pushing = startPushing(t, hubs, ledger, work)
    await withDatabase(await testServerUrl(), async (administrator) => {
      const signalled: number[] = []
      for (let round = 0; round < rounds(8, 20); round += 1) {
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

async function startHubsWithPusher(t: TestContext) {
  const database = await createDatabaseFromTemplate(prepareDatabase)
  const { sandbox, queryDatabase } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hubs = [await sandbox.startHub(), await sandbox.startHub()] as const
  return { database, hubs, queryDatabase, ...(await registerPusher(t, hubs[0])) }
}
