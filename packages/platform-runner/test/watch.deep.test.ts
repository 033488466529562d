/** Changes of every engine are pushed to a real hub, even when the hub and the runner are killed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Statistics } from '@recordhub/protocol'
import { withDatabase } from '../../server/test/helpers/postgres/database.ts'
import { findFreePort } from '../../server/test/helpers/process/free-port.ts'
import type { Operator } from '../../server/test/helpers/process/operator.ts'
import { createSandbox, PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { until } from '../../server/test/helpers/time/until.ts'
import { ENGINES } from './helpers/engines.ts'
import { sharedHub } from './helpers/hub.ts'
import { createRunnerSandbox } from './helpers/runner.ts'
import {
  NO_HUB,
  now,
  openOwnersFile,
  registerRunner,
  SETTINGS,
  waitForNames,
  write,
} from './helpers/watch.ts'

for (const engine of ENGINES) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: changes made while the hub or the runner is killed are pushed afterwards`,
    options,
    async (t) => {
      const hubs = createSandbox(t)
      // A fixed free port, because the process restarts on the same port.
      const hubEnv = { PORT: String(await findFreePort()) }
      const hub = await hubs.startHub({ env: hubEnv })
      const { database, operator, sandbox, env, port, stored } = await registerRunner(
        t,
        engine,
        hub,
      )
      const platform = await sandbox.start(env)
      await platform.logs(/people: watching/)
      await hub.stop('SIGKILL')
      for (let id = 10; id < 15; id += 1) await write(engine, database, id, `Made ${id}`)
      await platform.logs(/pushes are delayed: /)
      await platform.stop('SIGKILL')
      await write(engine, database, 12, 'Changed 12')
      await write(engine, database, 20, 'Made 20')
      await hubs.startHub({ env: hubEnv })
      await sandbox.start(env, port)
      const names = {
        10: 'Made 10',
        11: 'Made 11',
        12: 'Changed 12',
        13: 'Made 13',
        14: 'Made 14',
        20: 'Made 20',
      }
      await until(async () => {
        const records = await stored()
        const found = Object.fromEntries(
          records.map((one) => [one.reference_number, one.full_name]),
        )
        return Object.entries(names).every(([id, name]) => found[id] === name) ? found : null
      }, 'all pushes have arrived')
      assert.equal((await stored()).length, 6)
      const { pull } = await operator.pullAll()
      assert.equal(pull.state, 'succeeded')
      assert.deepEqual([pull.counts.created, pull.counts.updated], [2, 0])
    },
  )
}

for (const engine of ENGINES) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: many changes with the same timestamp are all pushed once`,
    options,
    async (t) => {
      const { database, operator, sandbox, env, name } = await registerRunner(
        t,
        engine,
        sharedHub(),
      )
      const countRecords = async () => {
        const platform = (await operator.platforms()).find((one) => one.platform_name === name)
        return platform?.records
      }
      const before = await countPushes(operator)
      const rows = Array.from({ length: 1200 }, (_, index) => `(${index + 100}, 'Old', NULL)`)
      await database.run(`INSERT INTO people VALUES ${rows.join()}`)
      const platform = await sandbox.start(env)
      await platform.logs(/people: watching/)
      await database.run(
        `UPDATE people SET name = 'New', updated_at = ${now(engine)} WHERE id >= 100`,
      )
      await until(async () => {
        return (await countRecords()) === 1200 ? true : null
      }, 'all pushes have arrived')
      await write(engine, database, 9999, 'Last')
      await until(async () => {
        return (await countRecords()) === 1201 ? true : null
      }, 'the last push has arrived')
      const after = await countPushes(operator)
      assert.deepEqual(
        after.map((figure, index) => figure - (before[index] ?? 0)),
        [1201, 1201, 0],
      )
    },
  )
}

test('PostgreSQL: a change that commits after newer changes is pushed', PROCESS_TEST, async (t) => {
  const postgres = ENGINES.find(({ name }) => name === 'PostgreSQL')
  assert.ok(postgres)
  const { database, sandbox, env, stored } = await registerRunner(t, postgres, sharedHub())
  const platform = await sandbox.start(env)
  await platform.logs(/people: watching/)
  await withDatabase(database.address, async (client) => {
    await client.query('BEGIN')
    await client.query("INSERT INTO people VALUES (3, 'Late', now())")
    await write(postgres, database, 4, 'Early')
    await waitForNames(stored, { 4: 'Early' })
    await write(postgres, database, 5, 'Later')
    await waitForNames(stored, { 4: 'Early', 5: 'Later' })
    await client.query('COMMIT')
  })
  await waitForNames(stored, { 3: 'Late', 4: 'Early', 5: 'Later' })
})

/** Counts received POSTs, created and updated records. Hourly counters work across midnight. */
async function countPushes(operator: Operator): Promise<number[]> {
  const { hours }: Statistics = JSON.parse(await operator.request('GET', '/api/v1/statistics'))
  const figures = ['received_post', 'created', 'updated'] as const
  return figures.map((figure) => hours.reduce((sum, hour) => sum + hour[figure], 0))
}
test(
  'a second process with the same state folder fails with one line that gives the reason',
  PROCESS_TEST,
  async (t) => {
    const sandbox = createRunnerSandbox(t)
    openOwnersFile(sandbox.folder)
    const env = { DATABASE_URL: 'sqlite:owner.sqlite', PLATFORM: 'registry', ...NO_HUB }
    sandbox.write('platform.yaml', SETTINGS)
    await sandbox.start(env)
    await assert.rejects(sandbox.start(env), /It ended: .*outbox.*\n$/)
  },
)

test('the runner exits on SIGTERM while it is starting', PROCESS_TEST, async (t) => {
  const sandbox = createRunnerSandbox(t)
  openOwnersFile(sandbox.folder)
  const port = String(await findFreePort())
  const env = { DATABASE_URL: 'sqlite:owner.sqlite', PLATFORM: 'registry', ...NO_HUB }
  sandbox.write('platform.yaml', SETTINGS)
  // The runner observes this lock of another machine for a while before it acquires the lock.
  const lock = join(sandbox.folder, 'recordhub-state', 'outbox.ndjson.lock')
  mkdirSync(dirname(lock))
  writeFileSync(lock, JSON.stringify({ host: 'elsewhere', pid: 1, started: 1, token: 'x' }))
  const { child } = sandbox.startWithoutWaiting(env, port)
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status,
        () => null,
      ),
    'it listens',
  )
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
  assert.equal(child.exitCode, 0)
})
