/** `recordhub alerts`, beside a running hub and without one, and alert events of several hubs. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEventStream } from '../helpers/hub/event-stream.ts'
import {
  ENGINES,
  type EngineSandbox,
  enginesForTier,
  LOCK_MS,
  postgres,
  sqlite,
} from '../helpers/process/engine.ts'
import { sendRequest, signIn } from '../helpers/process/operator.ts'
import { test } from '../helpers/process/sandbox.ts'

const AT = '2026-11-21T07:30:00.000Z'

/** Runs a statement that writes, beside a running hub. */
async function execute({ sandbox, queryDatabase }: EngineSandbox, sql: string): Promise<void> {
  const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
  if (!existsSync(path)) return void (await queryDatabase(sql))
  using database = new DatabaseSync(path, { timeout: LOCK_MS })
  database.exec(sql)
}

/** Adds an alert with its event, as a hub does. The hub does not evaluate alerts within the time of a test. */
async function raiseAlert(kit: EngineSandbox, id: number): Promise<void> {
  await execute(
    kit,
    `INSERT INTO alerts (alert_id, kind, subject, message, raised_at)
    VALUES (${id}, 'module_failing', 's${id}', 'About ${id}: \u001b[31m', '${AT}')`,
  )
  await execute(kit, `INSERT INTO alert_events VALUES (${id}, ${id}, 'raised', '${AT}')`)
  await execute(kit, `UPDATE alert_feed SET last_event_id = ${id}`)
}

for (const engine of ENGINES) {
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

test('alerts exits with 2 if they cannot be read', async (t) => {
  const { sandbox } = await sqlite.createSandbox(t)
  const missing = await sandbox.run(['alerts'])
  assert.equal(missing.code, 2)
  assert.match(missing.stderr.join(), /There is no database/)
  assert.equal((await sandbox.run(['alerts', '--unknown'])).code, 2)
})

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
  await sendRequest(operator, 'POST', '/api/v1/alerts/1/acknowledge', {})
  await stream.untilReceived(/"change":"acknowledged".*"acknowledged_by":"ops@example.org"/)
  stream.close()
  await stream.ended
})
