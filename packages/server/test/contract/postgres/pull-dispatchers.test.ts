/** Pulls dispatched by pg-boss to several nodes. */
import assert from 'node:assert/strict'
import { readConfig } from '../../../src/config/config.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/postgres/nodes.ts'
import { only } from '../../helpers/storage/fixtures.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const NO_SCHEDULE = async () => undefined

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
  await nodeA.storage.pullDispatcher.start(
    { runPull: () => new Promise(() => {}), onSchedule: NO_SCHEDULE },
    null,
  )
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
  await storage.pullDispatcher.start({ runPull, onSchedule: NO_SCHEDULE }, null)
  await storage.pullDispatcher.dispatch(1)
  await untilEnded(storage, 1)
  await storage.pullDispatcher.dispatch(2)
  await untilEnded(storage, 2)
  assert.deepEqual(runs, [1, 2])
  assert.deepEqual((await jobs(storage)).sort(), ['completed', 'failed'])
  await storage.pullDispatcher.stop()
})

test('all nodes share the schedule of the node that started last, and a start without a schedule deletes it', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const handlers = { runPull: async () => undefined, onSchedule: NO_SCHEDULE }
  const schedules = () => nodeA.runSql('SELECT name, cron, timezone FROM pgboss.schedule')
  await nodeA.storage.pullDispatcher.start(handlers, '17 * * * *')
  await nodeB.storage.pullDispatcher.start(handlers, '18 * * * *')
  assert.deepEqual(await schedules(), [
    { name: 'recordhub-schedule', cron: '18 * * * *', timezone: 'UTC' },
  ])
  await nodeB.storage.pullDispatcher.stop()
  assert.equal((await schedules()).length, 1)
  await nodeA.storage.pullDispatcher.stop()
  await nodeA.storage.pullDispatcher.start(handlers, null)
  assert.deepEqual(await schedules(), [])
  await nodeA.storage.pullDispatcher.stop()
})

test('jobs are attempted once and expire after 15 minutes', async ({ nodeA: { storage } }) => {
  await startCollecting(storage, 'here', [])
  const queues = await runSql(
    storage,
    `SELECT name, retry_limit, expire_seconds FROM pgboss.queue
         WHERE name LIKE 'recordhub-%' ORDER BY name`,
  )
  const settings = { retry_limit: 0, expire_seconds: 900 }
  assert.deepEqual(queues, [
    { name: 'recordhub-pulls', ...settings },
    { name: 'recordhub-schedule', ...settings },
  ])
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

test('the dispatcher accepts every cron pattern that HUB_PULL_SCHEDULE accepts', async ({
  nodeA: { storage },
}) => {
  const handlers = { runPull: async () => undefined, onSchedule: NO_SCHEDULE }
  const rejected: string[] = []
  const accepted = PATTERNS.filter(isAccepted)
  assert.ok(accepted.length >= 7, accepted.join(' | '))
  for (const pattern of accepted) {
    try {
      await storage.pullDispatcher.start(handlers, pattern)
      assert.ok(storage.pullDispatcher.nextRun())
    } catch (error) {
      rejected.push(`${pattern}: ${error}`)
    } finally {
      await storage.pullDispatcher.stop()
    }
  }
  assert.deepEqual(rejected, [])
})

/** Whether `HUB_PULL_SCHEDULE` accepts the pattern. */
function isAccepted(pattern: string): boolean {
  try {
    readConfig({ flags: {}, environment: { HUB_PULL_SCHEDULE: pattern }, envFile: {} })
    return true
  } catch {
    return false
  }
}

const PATTERNS = [
  ...['* * * * *', '*/5 8-18 * * MON-FRI', '0,30 * * * *', '@hourly', '0 0 L * *', '0 0 ? * 7'],
  ...['*/30 * * * * *', '@midnight', '0 12 LW * *', '0 12 15W * *', '0 0 1 * +1', '*,1 * * * *'],
  ...['0 0 0 1 1 * 2099'],
]

async function startCollecting(
  { pullDispatcher }: Storage,
  node: string,
  runs: { node: string; id: number }[],
): Promise<void> {
  const runPull = async (id: number) => void runs.push({ node, id })
  await pullDispatcher.start({ runPull, onSchedule: NO_SCHEDULE }, null)
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
