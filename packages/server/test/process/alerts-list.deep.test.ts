/** `recordhub alerts`, beside a running hub and without one, and alert events of several hubs. */
import assert from 'node:assert/strict'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'
import { raiseAlert } from './alerts-command.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`alerts lists the open alerts, and its exit code tells whether there are any (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const hub = await sandbox.startHub()
    const none = await sandbox.run(['alerts'])
    assert.deepEqual([none.code, none.stdout, none.stderr], [0, ['No open alerts'], []])
    await raiseAlert(kit, 1)
    const beside = await sandbox.run(['alerts'])
    // A terminal must not interpret control characters of a message.
    assert.deepEqual(
      [beside.code, beside.stdout],
      [1, ['2026-11-21 07:30 UTC  module_failing: About 1: [31m']],
    )
    await hub.stop()
    const { code, stdout } = await sandbox.run(['alerts', '--json'])
    assert.equal(code, 1)
    const parsed: { alerts: { id: number }[] } = JSON.parse(stdout.join(''))
    assert.deepEqual(
      parsed.alerts.map(({ id }) => id),
      [1],
    )
  })
}

test('alerts exits with 2 if they cannot be read', async (t) => {
  const { sandbox } = await sqlite.createSandbox(t)
  const missing = await sandbox.run(['alerts'])
  assert.equal(missing.code, 2)
  assert.match(missing.stderr.join(), /There is no database/)
  assert.equal((await sandbox.run(['alerts', '--unknown'])).code, 2)
})
