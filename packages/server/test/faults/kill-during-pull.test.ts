import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { enginesForTier, type ProcessEngine, sqlite } from '../helpers/process/engine.ts'
import {
  listRecords,
  pullAndWait,
  readPull,
  registerPlatform,
  requestPull,
  signIn,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

const PER_MODULE = 3000

test(
  'a pull of a killed hub is interrupted, and the next pull starts immediately',
  PROCESS_TEST,
  async (t) => {
    const { sandbox, hub, operator, platform } = await startHubAndPlatform(t, sqlite)
    const { halfSent } = platform.pauseNextResponse()
    const { status, pull } = await requestPull(operator)
    assert.equal(status, 202)
    await halfSent
    await until(async () => {
      const { pull: running, tasks } = await readPull(operator, pull.id)
      assert.equal(running.finished_at, null, JSON.stringify(tasks))
      return (await listRecords(operator)).length > 0 ? true : null
    }, 'a part of the response is stored')
    assert.equal((await readPull(operator, pull.id)).pull.state, 'running')
    assert.equal((await requestPull(operator)).status, 409)
    await hub.stop('SIGKILL')

    const restarted = operator.at((await sandbox.startHub()).address)
    const interrupted = await readPull(restarted, pull.id)
    assert.equal(interrupted.pull.state, 'interrupted')
    assert.notEqual(interrupted.pull.finished_at, null)
    assert.deepEqual(new Set(interrupted.tasks.map((task) => task.state)), new Set(['interrupted']))
    assert.ok(interrupted.tasks.every((task) => task.finished_at !== null))
    const stored = (await listRecords(restarted)).length
    assert.ok(stored > 0 && stored < PER_MODULE, 'some records were stored before the kill')

    const { pull: next, tasks } = await pullAndWait(restarted)
    assert.notEqual(next.id, pull.id)
    assert.equal(next.state, 'succeeded')
    assert.deepEqual(
      tasks.map((task) => task.state),
      ['succeeded', 'succeeded'],
    )
    assert.equal(next.counts.created, 2 * PER_MODULE - stored)
    assert.equal(next.counts.unchanged, stored)
    assert.equal((await listRecords(restarted)).length, 2 * PER_MODULE)
  },
)

for (const engine of enginesForTier(sqlite)) {
  test(
    `a hub that receives SIGTERM during a pull interrupts it and exits (${engine.name})`,
    PROCESS_TEST,
    async (t) => {
      const { sandbox, hub, operator, platform } = await startHubAndPlatform(t, engine)
      const { halfSent } = platform.pauseNextResponse()
      const { pull } = await requestPull(operator)
      await halfSent
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
      assert.deepEqual(hub.stderr, [])

      const restarted = operator.at((await sandbox.startHub()).address)
      const interrupted = await readPull(restarted, pull.id)
      assert.equal(interrupted.pull.state, 'interrupted')
      assert.deepEqual(
        new Set(interrupted.tasks.map((task) => task.state)),
        new Set(['interrupted']),
      )
      assert.equal((await pullAndWait(restarted)).pull.state, 'succeeded')
      assert.equal((await listRecords(restarted)).length, 2 * PER_MODULE)
    },
  )
}

async function startHubAndPlatform(t: TestContext, engine: ProcessEngine) {
  const { sandbox } = await engine.createSandbox(t)
  const hub = await sandbox.startHub()
  const operator = await signIn(hub.address)
  const modules = ['person', 'visit'].map((type) => generateModule(type, PER_MODULE))
  const platform = await startPlatform(t, { name: 'archive', modules })
  await registerPlatform(operator, platform)
  return { sandbox, hub, operator, platform }
}
