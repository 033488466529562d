import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../helpers/postgres/server.ts'
import { assertAtomicWrites, createPostgresSandbox } from '../helpers/process/engine.ts'
import { pullAndWait } from '../helpers/process/operator.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  type PushAttempt,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const OUTAGES = ['stop', 'kill'] as const

test(
  'two hubs survive PostgreSQL outages, return 503 meanwhile and lose no acknowledged push',
  PROCESS_TEST,
  async (t) => {
    const server = await startPostgres({ durable: true })
    t.after(() => server.remove())
    const { sandbox, queryDatabase } = createPostgresSandbox(t, server.url)
    assert.deepEqual(await queryDatabase('SHOW fsync'), [{ fsync: 'on' }])
    const hubs = [await sandbox.startHub(), await sandbox.startHub()] as const
    const { operator, hubApiKey, ledger } = await registerPusher(t, hubs[0])

    for (const outage of isDeep ? [...OUTAGES, ...OUTAGES] : OUTAGES) {
      const name = `${outage}-${ledger.acknowledged()}`
      const pushing = startPushing(t, hubs, ledger, { name, hubApiKey, connections: 24 })
      const waitForResults = (count: number, matches: (pushed: PushAttempt) => boolean) =>
        Promise.all(
          [0, 1].map((hub) =>
            pushing.untilAttempts(count, (one) => one.hub === hub && matches(one)),
          ),
        )
      await waitForResults(100, isAcknowledged)
      await server[outage]()
      await waitForResults(30, (one) => !isAcknowledged(one))
      for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
      for (const { address } of hubs) {
        await until(async () => {
          const { status, headers } = await fetch(`${address}/readyz`)
          return status === 503 && headers.has('Retry-After') ? true : null
        }, 'the hub is not ready')
        assert.equal((await fetch(`${address}/healthz`)).status, 200, 'the process is running')
        const response = await operator.at(address).call('GET', '/api/v1/platforms')
        assert.equal(response.status, 503, 'requests of operators are rejected too')
      }

      await server.start()
      await waitForResults(100, isAcknowledged)
      await pushing.finish()
      for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
      assert.deepEqual(ledger.unacknowledged(), [])
      for (const { address } of hubs) {
        await until(
          async () => ((await fetch(`${address}/readyz`)).status === 200 ? true : null),
          'the hub is ready',
        )
        await ledger.assertStored(operator.at(address))
        assert.equal((await pullAndWait(operator.at(address))).pull.state, 'succeeded')
      }
    }
    await assertAtomicWrites(queryDatabase)
    for (const hub of hubs) {
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null }, 'the hub was running')
    }
  },
)
