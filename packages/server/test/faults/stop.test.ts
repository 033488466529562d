import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from '../helpers/process/engine.ts'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { openIncompletePush } from './stop.ts'

test('a hub that receives SIGTERM during a pull and an incomplete push interrupts both, closes its database and exits', async (t) => {
  const { sandbox, queryDatabase } = await sqlite.createSandbox(t)
  const hub = await sandbox.startHub()
  const operator = await connectOperator(hub)
  const platform = await startPlatform(t, {
    name: 'archive',
    modules: [generateModule('case', 40)],
  })
  const { hub_api_key } = await operator.registerModules(platform)
  await openIncompletePush(t, hub.address, hub_api_key)
  const { halfSent } = platform.pauseNextResponse()
  await operator.requestPull()
  await halfSent
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  assert.deepEqual(hub.stderr, [])
  const files = readdirSync(join(sandbox.folder, 'data'))
  assert.deepEqual(
    files.filter((name) => /-(wal|shm)$/.test(name)),
    [],
    'closing the last connection merges the write-ahead log into the file',
  )
  const [pull] = await queryDatabase('SELECT state FROM pulls')
  assert.equal(pull?.['state'], 'interrupted')
})
