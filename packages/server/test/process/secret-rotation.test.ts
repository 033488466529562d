/** Rotating the secret with the command line. */
import assert from 'node:assert/strict'
import { sqlite } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'
import { checkHub, prepareHub, ROTATE, secret } from './secret-rotation.ts'

test('after a rotation of HUB_SECRET, everything is encrypted with the new secret', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const { sandbox } = kit
  const [before, after] = [secret(), secret()]
  const prepared = await prepareHub(t, kit, { HUB_SECRET: before })
  const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
  const rotated = await sandbox.run(ROTATE, { env: both })
  assert.equal(rotated.code, 0, rotated.stderr.join())
  const { oldSession } = await checkHub(sandbox, prepared, { HUB_SECRET: after }, 'the last one')
  assert.equal(oldSession, 401)
})
