/** Rotating the secret with the command line, on real databases and with kills in between. */

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enginesForTier, postgres, sqlite } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'
import { checkHub, prepareHub, ROTATE, secret } from './secret-rotation.ts'

const KILL_MOMENTS_MS = [150, 300, 450, 600, 750, 900, 1050, 1200]

for (const engine of enginesForTier(sqlite)) {
  test(`a killed rotation leaves everything encrypted with either the old or the new secret (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const [before, after] = [secret(), secret()]
    const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
    const prepared = await prepareHub(t, kit, { HUB_SECRET: before })
    // Some of these kills happen while the command re-encrypts.
    for (const moment of KILL_MOMENTS_MS) {
      const command = sandbox.spawn(ROTATE, { env: both })
      const timer = setTimeout(() => command.child.kill('SIGKILL'), moment)
      await command.ended
      clearTimeout(timer)
    }
    await checkHub(sandbox, prepared, both, 'an earlier one')
    assert.equal((await sandbox.run(ROTATE, { env: both })).code, 0)
    await checkHub(sandbox, prepared, { HUB_SECRET: after }, 'the last one')
  })
}

test('a rotation of the secret file that was interrupted at any step can be completed', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const { sandbox } = kit
  const prepared = await prepareHub(t, kit, {})
  const path = join(sandbox.folder, 'data', 'recordhub.secret')
  const before = readFileSync(path, 'utf8').trim()

  // Killed after writing the file and before re-encrypting.
  const next = secret()
  writeFileSync(path, `${next}\n${before}\n`)
  await checkHub(sandbox, prepared, {}, 'an earlier one')
  // Completes the rotation.
  const rotated = await sandbox.run(ROTATE)
  assert.equal(rotated.code, 0, rotated.stderr.join())
  assert.equal(readFileSync(path, 'utf8').trim(), next)
  assert.ok(![...rotated.stdout, ...rotated.stderr].join().includes(next))

  // Killed after re-encrypting and before removing the old secret from the file.
  writeFileSync(path, `${next}\n${before}\n`)
  await checkHub(sandbox, prepared, {}, 'the last one')
  assert.equal((await sandbox.run(ROTATE)).code, 0)
  assert.equal(readFileSync(path, 'utf8').trim(), next)

  const nextRotation = await sandbox.run(ROTATE)
  assert.equal(nextRotation.code, 0)
  assert.notEqual(readFileSync(path, 'utf8').trim(), next)
  assert.match(nextRotation.stdout.join(), /^Encrypted \d+ texts with the new secret/)

  const withoutDatabase = await sandbox.run(ROTATE, { env: { HUB_DATA_DIR: 'elsewhere' } })
  assert.equal(withoutDatabase.code, 1)
  assert.match(withoutDatabase.stderr.join(), /There is no database/)
})

/** Error when another process of the hub is running, on SQLite or PostgreSQL. */
const STILL_RUNNING = /is running on|Stop all processes of the hub/

for (const engine of enginesForTier(postgres)) {
  test(`after rotating HUB_SECRET the new secret decrypts everything and the old one nothing (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const [before, after] = [secret(), secret()]
    const old = { HUB_SECRET: before }
    const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
    const prepared = await prepareHub(t, kit, old)

    const running = await sandbox.startHub({ env: both })
    const rejected = await sandbox.run(ROTATE, { env: both })
    assert.equal(rejected.code, 1, 'a rotation is rejected while a hub is running')
    assert.match(rejected.stderr.join(), STILL_RUNNING)
    await running.stop()

    for (const env of [
      { HUB_SECRET: after },
      { HUB_SECRET: after, HUB_SECRET_PREVIOUS: secret() },
    ]) {
      const wrong = await sandbox.run(ROTATE, { env })
      assert.notEqual(wrong.code, 0)
      assert.match(wrong.stderr.join(), /HUB_SECRET/)
      const start = await sandbox.run(['start'], { env })
      assert.equal(start.code, 1)
      assert.match(start.stderr.join(), /HUB_SECRET is not the secret/)
      for (const value of Object.values(env)) {
        assert.ok(!wrong.stderr.concat(start.stderr, start.stdout).join().includes(value))
      }
    }

    const [one, other] = await Promise.all([
      sandbox.run(ROTATE, { env: both }),
      sandbox.run(ROTATE, { env: both }),
    ])
    for (const result of [one, other]) {
      // On PostgreSQL both may detect each other, and then neither changes anything.
      if (result.code !== 0) assert.match(result.stderr.join(), STILL_RUNNING)
    }
    const last = await sandbox.run(ROTATE, { env: both })
    assert.equal(last.code, 0, last.stderr.join())
    const again = await sandbox.run(ROTATE, { env: both })
    assert.equal(again.code, 0)
    assert.match(again.stdout.join(), /were already encrypted with the new secret/)

    const { oldSession } = await checkHub(sandbox, prepared, { HUB_SECRET: after }, 'the last one')
    assert.equal(oldSession, 401)
    const start = await sandbox.run(['start'], { env: old })
    assert.match(start.stderr.join(), /HUB_SECRET is not the secret/)
  })
}
