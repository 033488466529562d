/** Pulls of a process that has ended: other nodes detect its end before the lease expires. */
import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { listeningSessions, openNodeStorage, test } from '../../helpers/postgres/nodes.ts'
import { startTestPull } from '../../helpers/storage/pulls.ts'
import { untilTrue } from '../../helpers/time/until.ts'

/** Longer than the interval at which a live process renews its lease. */
const RENEWAL_OVERDUE_SECONDS = 7

const leaseOf = (storage: Storage) => ({ owner: storage.processName, seconds: 30 })

test('a pull is not interrupted while its node is alive, and is interrupted when the node has closed', async (nodes) => {
  const { url, clock, nodeA } = nodes
  await nodeA.register()
  const closing = await openNodeStorage(url, clock)
  const { pull_id } = await startTestPull(closing, leaseOf(closing))
  const { pulls } = nodeA.storage
  clock.advance(RENEWAL_OVERDUE_SECONDS)
  assert.equal(await pulls.interruptAbandonedPulls(), 0)
  const lease = leaseOf(nodeA.storage)
  assert.equal((await nodeA.requestPull(lease)).outcome, 'already_running')
  await closing.close()
  assert.equal(await pulls.interruptAbandonedPulls(), 1)
  assert.equal((await pulls.readPull(pull_id))?.state, 'interrupted')
  assert.equal((await nodeA.requestPull(lease)).outcome, 'queued')
})

test('a pull is not interrupted when its node briefly loses its connections', async (nodes) => {
  const { nodeA, nodeB, observer } = nodes
  await nodeA.register()
  const { pull_id } = await nodeB.startPull(leaseOf(nodeB.storage))
  const pids = await listeningSessions(observer)
  await observer.query('SELECT pg_terminate_backend(pid, 60000) FROM unnest($1::int[]) pid', [pids])
  // pg_terminate_backend has waited until the sessions and their locks ended. The lease was renewed just before.
  assert.equal(await nodeA.storage.pulls.interruptAbandonedPulls(), 0)
  await untilTrue('both nodes have their locks again', async () => {
    const { rows } = await observer.query(
      `SELECT count(*)::int AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database
           WHERE d.datname = current_database() AND locktype = 'advisory' AND granted`,
    )
    return rows[0]?.['n'] === 2
  })
  nodeA.clock.advance(RENEWAL_OVERDUE_SECONDS)
  assert.equal(await nodeA.storage.pulls.interruptAbandonedPulls(), 0)
  assert.equal((await nodeA.storage.pulls.readPull(pull_id))?.state, 'running')
})
