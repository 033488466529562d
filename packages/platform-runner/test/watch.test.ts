/** Changes in the source database are pushed to a real hub, even when the runner is killed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { findFreePort } from '../../server/test/helpers/process/free-port.ts'

import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { until } from '../../server/test/helpers/time/until.ts'
import { ENGINES_OF_TIER } from './helpers/engines.ts'
import { sharedHub } from './helpers/hub.ts'
import { createRunnerSandbox } from './helpers/runner.ts'
import { now, registerRunner, SETTINGS, waitForNames, write } from './helpers/watch.ts'

/** Port 0 never has a listening hub. */
const NO_HUB = { HUB_URL: 'http://127.0.0.1:0', HUB_API_KEY: 'rhk_any' }

for (const engine of ENGINES_OF_TIER) {
  const options = { ...PROCESS_TEST, skip: engine.missing }
  test(
    `${engine.name}: only changes after the first start are pushed, each once, also those made while it is killed`,
    options,
    async (t) => {
      const { database, operator, sandbox, env, port, stored } = await registerRunner(
        t,
        engine,
        sharedHub(),
      )
      const killed = await sandbox.start(env)
      await killed.logs(/people: watching/)
      await write(engine, database, 3, 'Three')
      await waitForNames(stored, { 3: 'Three' })
      // Several changes within one second, the precision of some columns.
      for (const name of ['Drei', 'Trois', 'Tre']) {
        await write(engine, database, 3, name)
        await waitForNames(stored, { 3: name })
      }
      await killed.logs(/pushed people 3: created/)
      await killed.logs(/pushed people 3: updated/)
      await killed.stop('SIGKILL')
      // With the same timestamp.
      const rows = [4, 5, 6].map((id) => `(${id}, 'Made ${id}', ${now(engine)})`)
      await database.run(`INSERT INTO people VALUES ${rows.join()}`)
      const platform = await sandbox.start(env, port)
      await waitForNames(stored, { 3: 'Tre', 4: 'Made 4', 5: 'Made 5', 6: 'Made 6' })
      const [record] = await stored()
      assert.ok(record)
      assert.equal(record.incomplete, false)
      const history = await operator.history(record.record_id)
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
