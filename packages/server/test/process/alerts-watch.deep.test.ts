/** `recordhub alerts`, beside a running hub and without one, and alert events of several hubs. */
import assert from 'node:assert/strict'
import { openEventStream } from '../helpers/hub/event-stream.ts'
import { enginesForTier, postgres, sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { test } from '../helpers/process/sandbox.ts'
import { AT, execute, raiseAlert } from './alerts-command.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`alerts --watch prints each change until Ctrl-C (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    await sandbox.startHub()
    const watch = sandbox.spawn(['alerts', '--watch'])
    await watch.untilPrinted(/^No open alerts$/)
    await raiseAlert(kit, 1)
    await watch.untilPrinted(/^2026-11-21 07:30 UTC {2}raised: module_failing: About 1/)
    assert.deepEqual(await watch.stop('SIGINT'), { code: 1, signal: null })
    const json = sandbox.spawn(['alerts', '--watch', '--json'])
    await json.untilPrinted(/^\{"alerts":\[\{"id":1,/)
    await raiseAlert(kit, 2)
    const line = await json.untilPrinted(/^\{"cursor"/)
    const event: { cursor: string; change: string } = JSON.parse(line)
    assert.deepEqual([event.cursor, event.change], ['2', 'raised'])
    await execute(kit, `UPDATE alerts SET resolved_at = '${AT}'`)
    assert.deepEqual(await json.stop('SIGTERM'), { code: 0, signal: null })
  })
}

test('a stream at one hub receives the changes that another hub makes', async (t) => {
  const kit = await postgres.createSandbox(t)
  const { sandbox } = kit
  const [one, other] = [await sandbox.startHub(), await sandbox.startHub()]
  const scoped = ['token', 'create', '--name', 'pager', '--scope', 'alerts']
  const [token = ''] = (await sandbox.run(scoped)).stdout
  await raiseAlert(kit, 1)
  const stream = await openEventStream(`${other.address}/api/v1/alerts/events`, {
    authorization: `Bearer ${token}`,
  })
  await stream.untilReceived(/"change":"raised"/)
  const operator = await signIn(one.address)
  await operator.request('POST', '/api/v1/alerts/1/acknowledge', {})
  await stream.untilReceived(/"change":"acknowledged".*"acknowledged_by":"ops@example.org"/)
  stream.close()
  await stream.ended
})
