import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createLedger, pushUntilRefused, sharedRecords } from '../helpers/process-ledger.ts'
import { type Operator, registerPlatform, signIn } from '../helpers/process-operator.ts'
import { startPlatform } from '../helpers/process-platform.ts'
import { type PushResult, pushOnce } from '../helpers/process-push.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process-sandbox.ts'

const RECORD_TYPE = 'case'
const CONNECTIONS = 24

test('a hub killed amid pushes loses nothing that it acknowledged', PROCESS_TEST, async (t) => {
  const { sandbox, ledger, hubApiKey, ...begun } = await beginPushing(t)
  let { hub } = begun
  for (const enough of [150, 1, 400]) {
    const target = { address: hub.address, hubApiKey }
    const doomed = hub
    const results = await pushUntilRefused(target, ledger, {
      name: `kill-${enough}`,
      recordType: RECORD_TYPE,
      connections: CONNECTIONS,
      enough,
      onEnough: () => doomed.child.kill('SIGKILL'),
    })
    assert.equal(results.filter(isRefused).length, 0, 'until it died, the hub took everything')
    assert.deepEqual(await doomed.ended, { code: null, signal: 'SIGKILL' })

    hub = await sandbox.startHub()
    const again = { address: hub.address, hubApiKey }
    const push = {
      method: 'POST',
      record_type: RECORD_TYPE,
      reference_number: `after-${enough}`,
      data: {},
    } as const
    const first = await pushOnce(again, push)
    ledger.note(push, first)
    assert.equal(first.kind === 'answered' && first.status, 201, 'the hub is writable at once')
    await ledger.check(begun.operator.at(hub.address))
    await Promise.all(
      ledger.unacknowledged().map(async (push) => ledger.note(push, await pushOnce(again, push))),
    )
    assert.deepEqual(ledger.unacknowledged(), [], 'a platform may repeat what had no answer')
    await ledger.check(begun.operator.at(hub.address))
  }
  checkDatabase(join(sandbox.folder, 'data', 'recordhub.sqlite'))
})

test(
  'a hub asked to stop amid pushes answers or closes, and keeps its word',
  PROCESS_TEST,
  async (t) => {
    const { sandbox, ledger, hub, hubApiKey, operator } = await beginPushing(t)
    const results = await pushUntilRefused({ address: hub.address, hubApiKey }, ledger, {
      name: 'stop',
      recordType: RECORD_TYPE,
      connections: CONNECTIONS,
      enough: 200,
      onEnough: () => hub.child.kill('SIGTERM'),
    })
    assert.deepEqual(await hub.ended, { code: 0, signal: null })
    assert.deepEqual(hub.stderr, [])
    for (const result of results) {
      assert.notEqual(result.kind, 'cut', 'no answer is broken off')
      if (result.kind !== 'answered' || result.status < 300) continue
      assert.equal(result.status, 503, result.text)
      assert.match(result.retryAfter ?? '', /^\d+$/)
      assert.equal(JSON.parse(result.text).success, false)
    }
    const again = await sandbox.startHub()
    await ledger.check(operator.at(again.address))
    checkDatabase(join(sandbox.folder, 'data', 'recordhub.sqlite'))
  },
)

async function beginPushing(t: TestContext) {
  const sandbox = createSandbox(t)
  const hub = await sandbox.startHub()
  const operator: Operator = await signIn(hub.address)
  const platform = await startPlatform(t, {
    name: 'registry',
    modules: [{ module_name: 'Cases', record_type: RECORD_TYPE, keys: ['turn'], records: [] }],
  })
  const { hub_api_key: hubApiKey } = await registerPlatform(operator, platform)
  const ledger = createLedger(RECORD_TYPE)
  for (const push of sharedRecords(RECORD_TYPE)) {
    ledger.note(push, await pushOnce({ address: hub.address, hubApiKey }, push))
  }
  assert.equal(ledger.acknowledged(), 3)
  return { sandbox, hub, operator, hubApiKey, ledger }
}

/** A write comes with its history, counters and activity, or not at all. */
function checkDatabase(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true })
  const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0]
  assert.equal(ask('PRAGMA integrity_check'), 'ok')
  const records = ask('SELECT count(*) FROM records')
  assert.equal(ask('SELECT sum(records) FROM module_counters'), records)
  assert.equal(ask('SELECT sum(created) FROM hourly_counters'), records)
  assert.equal(ask("SELECT count(*) FROM activity WHERE kind = 'push.created'"), records)
  const received = ask('SELECT sum(received_post + received_patch) FROM hourly_counters')
  assert.equal(ask("SELECT count(*) FROM activity WHERE kind LIKE 'push.%'"), received)
  const updated = ask('SELECT sum(updated) FROM hourly_counters')
  assert.equal(ask('SELECT count(*) FROM record_history'), updated)
  database.close()
}

function isRefused(result: PushResult): boolean {
  return result.kind === 'answered' && result.status >= 300
}
