import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { openIncompletePush } from './stop.ts'

test('an incomplete push does not prevent a hub from stopping and closing its database', async (t, sandbox) => {
  const hub = await sandbox.startHub()
  const modules = [{ module_name: 'Cases', record_type: 'case', keys: ['a'], records: [] }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const { hub_api_key } = await (await signIn(hub.address)).registerModules(platform)
  await openIncompletePush(t, hub.address, hub_api_key)
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  const files = readdirSync(join(sandbox.folder, 'data'))
  assert.deepEqual(
    files.filter((name) => /-(wal|shm)$/.test(name)),
    [],
    'closing the last connection merges the write-ahead log into the file',
  )
})

const PER_MODULE = 500

for (const engine of enginesForTier(sqlite)) {
  test(`a hub that receives SIGTERM during a pull interrupts it and exits (${engine.name})`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const hub = await sandbox.startHub()
    const operator = await signIn(hub.address)
    const modules = ['person', 'visit'].map((type) => generateModule(type, PER_MODULE))
    const platform = await startPlatform(t, { name: 'archive', modules })
    await operator.registerModules(platform)
    const { halfSent } = platform.pauseNextResponse()
    const { pull } = await operator.requestPull()
    await halfSent
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
    assert.deepEqual(hub.stderr, [])

    const restarted = operator.at((await sandbox.startHub()).address)
    const interrupted = await restarted.readPull(pull.id)
    assert.equal(interrupted.pull.state, 'interrupted')
    assert.deepEqual(new Set(interrupted.tasks.map((task) => task.state)), new Set(['interrupted']))
    assert.equal((await restarted.pullAll()).pull.state, 'succeeded')
    assert.equal((await restarted.records()).length, 2 * PER_MODULE)
  })
}
