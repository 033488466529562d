/** Changes in the source database are pushed to a real hub, even when processes are killed. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, type TestContext, test } from 'node:test'
import type { Statistics, StoredRecord } from '@recordhub/protocol'
import { findFreePort } from '../../server/test/helpers/process/free-port.ts'
import {
  listHistory,
  listPlatforms,
  listRecords,
  type Operator,
  pullAndWait,
  registerPlatform,
  sendRequest,
  signIn,
} from '../../server/test/helpers/process/operator.ts'
import {
  createSandbox,
  PROCESS_TEST,
  type RunningHub,
} from '../../server/test/helpers/process/sandbox.ts'
import { withDatabase } from '../../server/test/helpers/storage/postgres.ts'
import { isDeep } from '../../server/test/helpers/time/tier.ts'
import { until } from '../../server/test/helpers/time/until.ts'
import { ENGINES, type OwnersDatabase, type OwnersEngine } from './helpers/engines.ts'
import { createRunnerSandbox, SOURCE_KEY } from './helpers/runner.ts'

/** The large overlap covers changes that become visible seconds late on a slow machine. */
const SETTINGS = `
platform: { name: "\${PLATFORM}", source_key: "\${SOURCE_KEY}" }
source: { database: "\${DATABASE_URL}" }
modules:
  - { record_type: drafts, table: people, reference: id, full_name: name, search: [name] }
  - { record_type: people, name: People, table: people, reference: id, full_name: name, updated_at: updated_at, search: [name] }
push: { hub_url: "\${HUB_URL}", hub_api_key: "\${HUB_API_KEY}", every_seconds: 0.2, overlap_seconds: 600 }
`

/** Port 0 never has a listening hub. */
const NO_HUB = { HUB_URL: 'http://127.0.0.1:0', HUB_API_KEY: 'rhk_any' }

const timeType = ({ name }: OwnersEngine) => (name === 'SQLite' ? 'DATETIME' : 'TIMESTAMP')
const now = ({ name }: OwnersEngine) =>
  name === 'SQLite' ? "strftime('%Y-%m-%d %H:%M:%f', 'now')" : 'CURRENT_TIMESTAMP'

/** One hub for all tests that do not stop it. Each test registers its own platform. */
let shared: RunningHub
const cleanUps: (() => unknown)[] = []
before(async () => {
  const hubs = createSandbox({ after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) })
  shared = await hubs.startHub()
}, PROCESS_TEST)
after(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
}, PROCESS_TEST)

let platforms = 0

async function registerRunner(t: TestContext, engine: OwnersEngine, hub: RunningHub = shared) {
  const sandbox = createRunnerSandbox(t)
  const database = await engine.open(t)
  await database.run(
    `CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(50), updated_at ${timeType(engine)} NULL)`,
    "INSERT INTO people VALUES (1, 'One', '2026-01-01 00:00:00'), (2, 'Two', '2026-01-02 00:00:00')",
  )
  const operator = await signIn(hub.address)
  platforms += 1
  const name = `registry_${platforms}`
  // Registers without pushes first, as in a real setup.
  sandbox.write('platform.yaml', SETTINGS.replace(/^push:.*\n/m, ''))
  // A fixed free port, because the process restarts on the same port.
  const port = String(await findFreePort())
  const owner = { DATABASE_URL: database.address, PLATFORM: name }
  const first = await sandbox.start(owner, port)
  const { hub_api_key } = await registerPlatform(operator, {
    address: first.address,
    sourceKey: SOURCE_KEY,
    recordTypes: ['people'],
  })
  await first.stop()
  sandbox.write('platform.yaml', SETTINGS)
  const env = { ...owner, HUB_URL: hub.address, HUB_API_KEY: hub_api_key }
  const stored = () => listRecords(operator, `platform=${name}&sort=record_id`)
  return { database, operator, sandbox, env, port, name, stored }
}

function write(engine: OwnersEngine, database: OwnersDatabase, id: number, name: string) {
  const set = `name = '${name}', updated_at = ${now(engine)}`
  return engine.name === 'SQLite' || engine.name === 'PostgreSQL'
    ? database.run(
        `INSERT INTO people VALUES (${id}, '${name}', ${now(engine)}) ON CONFLICT (id) DO UPDATE SET ${set}`,
      )
    : database.run(
        `INSERT INTO people VALUES (${id}, '${name}', ${now(engine)}) ON DUPLICATE KEY UPDATE ${set}`,
      )
}

/** Waits until the hub has stored these names, keyed by reference. */
function waitForNames(stored: () => Promise<StoredRecord[]>, names: Record<string, string>) {
  return until(
    async () => {
      const records = await stored()
      const found = Object.fromEntries(records.map((one) => [one.reference_number, one.full_name]))
      return JSON.stringify(found) === JSON.stringify(names) ? records : null
    },
    `the hub stores ${JSON.stringify(names)}`,
  )
}

for (const engine of ENGINES) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: only changes after the first start are pushed, each once`,
    options,
    async (t) => {
      const { database, operator, sandbox, env, stored } = await registerRunner(t, engine)
      const platform = await sandbox.start(env)
      await platform.logs(/people: watching/)
      await write(engine, database, 3, 'Three')
      await waitForNames(stored, { 3: 'Three' })
      // Several changes within one second, the precision of some columns.
      for (const name of ['Drei', 'Trois', 'Tre']) {
        await write(engine, database, 3, name)
        await waitForNames(stored, { 3: name })
      }
      await platform.logs(/pushed people 3: created/)
      await platform.logs(/pushed people 3: updated/)
      const [record] = await stored()
      assert.ok(record)
      assert.equal(record.incomplete, false)
      const history = await listHistory(operator, record.record_id)
      assert.deepEqual(
        history.map(({ source }) => source),
        ['POST', 'POST', 'POST'],
      )
      // Only people is registered in the hub, of the two modules with a search.
      const found = Object(await (await platform.get('search?query=tre')).json())
      assert.deepEqual(
        found.records.map((one: { record_type: string }) => one.record_type),
        ['people'],
      )
      await database.run('ALTER TABLE people RENAME COLUMN name TO full_name')
      await platform.logs(
        /people: the columns have changed .*missing: name; new: full_name.*; restart recordhub-platform/,
      )
      assert.doesNotMatch(platform.log(), new RegExp(env.HUB_API_KEY))
      assert.equal(await platform.stop(), 0)
    },
  )
}

// The watermark and the outbox do not depend on the engine: the deep tier tests all of them.
for (const engine of isDeep ? ENGINES : ENGINES.filter(({ name }) => name === 'SQLite')) {
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
      const { pull } = await pullAndWait(operator)
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
      const { database, operator, sandbox, env, name } = await registerRunner(t, engine)
      const countRecords = async () => {
        const platform = (await listPlatforms(operator)).find((one) => one.platform_name === name)
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

/** Counts received POSTs, created and updated records. Hourly counters work across midnight. */
async function countPushes(operator: Operator): Promise<number[]> {
  const { hours }: Statistics = JSON.parse(await sendRequest(operator, 'GET', '/api/v1/statistics'))
  const figures = ['received_post', 'created', 'updated'] as const
  return figures.map((figure) => hours.reduce((sum, hour) => sum + hour[figure], 0))
}

test('PostgreSQL: a change that commits after newer changes is pushed', PROCESS_TEST, async (t) => {
  const postgres = ENGINES.find(({ name }) => name === 'PostgreSQL')
  assert.ok(postgres)
  const { database, sandbox, env, stored } = await registerRunner(t, postgres)
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

function openOwnersFile(folder: string): void {
  const database = new DatabaseSync(join(folder, 'owner.sqlite'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, updated_at DATETIME)')
  database.close()
}
