/** Rotating the secret with the command line. */
import assert from 'node:assert/strict'
import { sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { OPERATOR, test } from '../helpers/process/sandbox.ts'
import { ROTATE, secret } from './secret-rotation.ts'

test('after a rotation of HUB_SECRET, everything is encrypted with the new secret', async (t) => {
  const { sandbox } = await sqlite.createSandbox(t)
  const [before, after] = [secret(), secret()]
  const first = await sandbox.startHub({ env: { HUB_SECRET: before } })
  const old = await signIn(first.address)
  const platform = await startPlatform(t, {
    name: 'archive',
    modules: [generateModule('person', 3)],
  })
  const { id, hub_api_key } = await old.registerModules(platform)
  await first.stop()
  const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
  const rotated = await sandbox.run(ROTATE, { env: both })
  assert.equal(rotated.code, 0, rotated.stderr.join())

  const { address } = await sandbox.startHub({ env: { HUB_SECRET: after } })
  assert.equal((await old.at(address).call('GET', '/api/v1/platforms')).status, 401)
  const operator = await signIn(address)
  const url = `/api/v1/platforms/${id}/hub-key/reveal`
  const shown = await operator.request('POST', url, { password: OPERATOR.password })
  assert.equal(JSON.parse(shown).hub_api_key, hub_api_key)
  const { pull } = await operator.pullAll()
  assert.equal(pull.state, 'succeeded', 'the hub decrypts the source key')
})
