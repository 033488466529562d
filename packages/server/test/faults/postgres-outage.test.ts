/** A hub whose PostgreSQL is unreachable for a while. The deep tier stops, kills and suspends the server of two hubs. */
import assert from 'node:assert/strict'
import { createHubDatabase } from '../helpers/postgres/hub-database.ts'
import { startPostgresProxy } from '../helpers/postgres/proxy.ts'
import { assertAtomicWrites, createPostgresSandbox } from '../helpers/process/engine.ts'
import { untilReady } from '../helpers/process/operator.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { assertUnavailable } from './postgres-outage.ts'

test('while PostgreSQL is unreachable a hub returns 503, and it continues without help and loses no acknowledged push', async (t) => {
  const database = await createHubDatabase()
  const proxy = await startPostgresProxy(database.url)
  t.after(() => proxy.close())
  const { sandbox, queryDatabase } = createPostgresSandbox(t, proxy.url)
  t.after(() => database.drop())
  const hub = await sandbox.startHub()
  const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
  const pushing = startPushing(t, [hub], ledger, { name: 'outage', hubApiKey, connections: 2 })
  await pushing.untilAttempts(4, isAcknowledged)
  proxy.setTarget(null)
  await pushing.untilAttempts(2, (one) => !isAcknowledged(one))
  await assertUnavailable(operator, hub.address)
  proxy.setTarget(Number(new URL(database.url).port))
  await pushing.untilAttempts(2, isAcknowledged)
  await pushing.finish()
  for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
  assert.deepEqual(ledger.unacknowledged(), [])
  await untilReady(hub)
  await ledger.assertStored(operator)
  await assertAtomicWrites(queryDatabase)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
})
