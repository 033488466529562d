/** Pulls dispatched by pg-boss to several nodes. */
import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/postgres/nodes.ts'
import { only } from '../../helpers/storage/fixtures.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { untilTrue } from '../../helpers/time/until.ts'

test('each pull runs once on one node, and the other node runs all pulls after one has stopped', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const runs: { node: string; id: number }[] = []
  await startCollecting(nodeA.storage, 'here', runs)
  await startCollecting(nodeB.storage, 'there', runs)
  const ids = Array.from({ length: 6 }, (_, index) => index + 1)
  await Promise.all(ids.map((id) => (id % 2 ? nodeA : nodeB).storage.pullDispatcher.dispatch(id)))
  await untilEnded(nodeA.storage, 6)
  assert.deepEqual(runs.map(({ id }) => id).sort(), ids)

  await nodeA.storage.pullDispatcher.stop()
  await nodeB.storage.pullDispatcher.dispatch(7)
  await untilEnded(nodeB.storage, 7)
  assert.deepEqual(runs.slice(6), [{ node: 'there', id: 7 }])
  await nodeB.storage.pullDispatcher.stop()
})

test('a pull dispatched by a stopped node runs when another node starts', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const runs: { node: string; id: number }[] = []
  await nodeA.storage.pullDispatcher.start(() => new Promise(() => {}))
  await nodeA.storage.pullDispatcher.dispatch(1)
  await untilTrue(
    'the first pull is running',
    async () => (await jobs(nodeA.storage))[0] === 'active',
  )
  // The only worker of this node is busy.
  await nodeA.storage.pullDispatcher.dispatch(2)
  await nodeA.storage.pullDispatcher.stop()
  await startCollecting(nodeB.storage, 'there', runs)
  await untilTrue('the second pull has run', async () => runs.length > 0)
  assert.deepEqual(runs, [{ node: 'there', id: 2 }])
  await nodeB.storage.pullDispatcher.stop()
})

test('a node that does not run pulls dispatches them to another node', async ({ nodeA, nodeB }) => {
  const runs: { node: string; id: number }[] = []
  await startCollecting(nodeB.storage, 'there', runs)
  await nodeA.storage.pullDispatcher.dispatch(1)
  const sent = await jobs(nodeA.storage)
  await nodeB.storage.pullDispatcher.stop()
  assert.equal(sent.length, 1, 'The pull was not dispatched')
})

test('a failed pull is not run again', async ({ nodeA: { storage } }) => {
  const runs: number[] = []
  const runPull = async (id: number) => {
    runs.push(id)
    if (id === 1) throw new Error('cut off')
  }
  await storage.pullDispatcher.start(runPull)
  await storage.pullDispatcher.dispatch(1)
  await untilEnded(storage, 1)
  await storage.pullDispatcher.dispatch(2)
  await untilEnded(storage, 2)
  assert.deepEqual(runs, [1, 2])
  assert.deepEqual((await jobs(storage)).sort(), ['completed', 'failed'])
  await storage.pullDispatcher.stop()
})

test('jobs are attempted once and expire after 15 minutes', async ({ nodeA: { storage } }) => {
  await startCollecting(storage, 'here', [])
  const queues = await runSql(
    storage,
    `SELECT name, retry_limit, expire_seconds FROM pgboss.queue
         WHERE name LIKE 'recordhub-%' ORDER BY name`,
  )
  const settings = { retry_limit: 0, expire_seconds: 900 }
  assert.deepEqual(queues, [{ name: 'recordhub-pulls', ...settings }])
  await storage.pullDispatcher.dispatch(1)
  await untilEnded(storage, 1)
  const job = only(
    await runSql(
      storage,
      `SELECT retry_limit, retry_count, expire_seconds FROM pgboss.job
           WHERE name = 'recordhub-pulls'`,
    ),
  )
  assert.deepEqual(job, { retry_limit: 0, retry_count: 0, expire_seconds: 900 })
  await storage.pullDispatcher.stop()
})

async function startCollecting(
  { pullDispatcher }: Storage,
  node: string,
  runs: { node: string; id: number }[],
): Promise<void> {
  const runPull = async (id: number) => void runs.push({ node, id })
  await pullDispatcher.start(runPull)
}

async function jobs(storage: Storage): Promise<string[]> {
  const rows = await runSql(
    storage,
    `SELECT state::text FROM pgboss.job WHERE name = 'recordhub-pulls' ORDER BY created_on`,
  )
  return rows.map((row) => String(row['state']))
}

function untilEnded(storage: Storage, count: number): Promise<void> {
  return untilTrue(`${count} jobs have ended`, async () => {
    const states = await jobs(storage)
    return states.filter((state) => state === 'completed' || state === 'failed').length === count
  })
}
