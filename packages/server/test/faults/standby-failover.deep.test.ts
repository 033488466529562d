/** A failover of PostgreSQL to an asynchronous and to a synchronous standby, and a synchronous standby that is away. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { withDatabase } from '../helpers/postgres/database.ts'
import { startPostgresProxy } from '../helpers/postgres/proxy.ts'
import { startPostgres } from '../helpers/postgres/server.ts'
import { assertAtomicWrites, createPostgresSandbox } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  type PushAttempt,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { guardMs } from '../helpers/time/guard.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const isRejected = (one: PushAttempt) => !isAcknowledged(one)
const CONNECTIONS = 12

test('a failover to an asynchronous standby loses acknowledged pushes, and the hub continues on it', async (t) => {
  const { hub, replication, failOver, registered } = await startCluster(t)
  const { operator, hubApiKey, ledger } = registered
  const pushing = startPushing(t, [hub], ledger, {
    name: 'a',
    hubApiKey,
    connections: CONNECTIONS,
  })
  await pushing.untilAttempts(50, isAcknowledged)
  // The standby receives nothing any more, which no client notices.
  replication.setTarget(null)
  await pushing.untilAttempts(50, isAcknowledged)
  await failOver(pushing)
  await pushing.finish()
  for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
  const { acknowledged, lost, duplicated } = await ledger.compare(operator)
  t.diagnostic(`${lost} of ${acknowledged} acknowledged pushes were lost`)
  assert.ok(lost > 0, 'pushes are lost')
  assert.equal(duplicated, 0)
})

test('pushes get 503 while the synchronous standby is away, and a failover to it loses none', async (t) => {
  // Shorter than the default of 40 s, and longer than a slow server needs for a response.
  const started = await startCluster(t, `?query_timeout=${guardMs(8000)}`)
  const { hub, registered, makeSynchronous, replication, failOver, queryDatabase } = started
  const { operator, hubApiKey, ledger } = registered
  const work = { name: 's', hubApiKey, connections: CONNECTIONS }
  const away = createFaultReport('synchronous standby away', 'PostgreSQL')
  const failover = createFaultReport('failover to a synchronous standby', 'PostgreSQL')
  await makeSynchronous()
  const pushing = startPushing(t, [hub], ledger, work)
  await pushing.untilAttempts(50, isAcknowledged)

  away.caused()
  replication.setTarget(null)
  await pushing.untilAttempts(CONNECTIONS, isRejected)
  await until(async () => {
    const { status, headers } = await fetch(`${hub.address}/readyz`)
    return status === 503 && headers.has('Retry-After') ? true : null
  }, 'the hub is not ready')
  replication.setTarget(started.primary.port)
  away.ended()
  await pushing.untilAttempts(1, isAcknowledged)
  away.recovered()
  await pushing.untilAttempts(rounds(50, 1000), isAcknowledged)
  await pushing.finish()
  away.save(await ledger.compare(operator))
  for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
  await ledger.assertStored(operator)

  const pushingAgain = startPushing(t, [hub], ledger, { ...work, name: 'f' })
  await pushingAgain.untilAttempts(50, isAcknowledged)
  failover.caused()
  await failOver(pushingAgain, failover)
  await pushingAgain.finish()
  failover.save(await ledger.compare(operator))
  for (const one of pushingAgain.attempts) assertAcknowledgedOrUnavailable(one)
  assert.deepEqual(ledger.unacknowledged(), [])
  await ledger.assertStored(operator)
  await assertAtomicWrites(queryDatabase)
})

/** A primary, a standby that replicates through a proxy, and a hub that reaches the primary through another one. */
async function startCluster(t: TestContext, parameters = '') {
  const primary = await startPostgres({ durable: true })
  t.after(() => primary.remove())
  const replication = await startPostgresProxy(primary.url)
  t.after(replication.close)
  const standby = await primary.startStandby({ name: 'second', port: replication.port })
  t.after(() => standby.remove())
  const proxy = await startPostgresProxy(primary.url)
  t.after(proxy.close)
  const url = new URL(`${primary.url}${parameters}`)
  url.port = String(proxy.port)
  const { sandbox, queryDatabase } = createPostgresSandbox(t, url.href)
  const hub = await sandbox.startHub()
  const registered = await registerPusher(t, hub)
  await waitForStandby('async')

  /** Waits until the standby streams in this state. */
  async function waitForStandby(state: 'async' | 'sync'): Promise<void> {
    await until(async () => {
      const { rowCount } = await withDatabase(primary.url, (client) =>
        client.query(
          `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = $1`,
          [state],
        ),
      )
      return rowCount === 1 ? true : null
    }, `the standby is ${state}`)
  }

  async function makeSynchronous(): Promise<void> {
    await withDatabase(primary.url, async (client) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'second'`)
      await client.query('SELECT pg_reload_conf()')
    })
    await waitForStandby('sync')
  }

  /** Kills the primary, waits for 503 responses, promotes the standby, and waits for acknowledged pushes. */
  async function failOver(
    pushing: ReturnType<typeof startPushing>,
    report?: ReturnType<typeof createFaultReport>,
  ): Promise<void> {
    await primary.kill()
    await pushing.untilAttempts(CONNECTIONS, isRejected)
    await withDatabase(standby.url, (client) => client.query('SELECT pg_promote()'))
    proxy.setTarget(standby.port)
    report?.ended()
    await pushing.untilAttempts(1, isAcknowledged)
    report?.recovered()
    await pushing.untilAttempts(50, isAcknowledged)
  }

  return { hub, primary, replication, registered, queryDatabase, makeSynchronous, failOver }
}
