import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  assertWholeWrites,
  ENGINES,
  type ProcessEngine,
  quickOn,
  sqlite,
} from '../helpers/process/engine.ts'
import { pushUntilRejected } from '../helpers/process/ledger.ts'
import { type PushResult, pushOnce } from '../helpers/process/push.ts'
import { PUSHED_TYPE, registerPusher } from '../helpers/process/pushing.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'

const CONNECTIONS = 24

for (const engine of ENGINES) {
  test(`a hub killed during pushes loses no acknowledged push (${engine.name})`, {
    ...PROCESS_TEST,
  }, async (t) => {
    const { sandbox, ledger, hubApiKey, check, ...begun } = await beginPushing(t, engine)
    let { hub } = begun
    for (const enough of isDeep ? [150, 1, 400] : [150]) {
      const target = { address: hub.address, hubApiKey }
      const doomed = hub
      const results = await pushUntilRejected(target, ledger, {
        name: `kill-${enough}`,
        recordType: PUSHED_TYPE,
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
        record_type: PUSHED_TYPE,
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
    await check()
  })
}

for (const engine of quickOn(sqlite)) {
  test(`a hub that receives SIGTERM during pushes loses no acknowledged push (${engine.name})`, {
    ...PROCESS_TEST,
  }, async (t) => {
    const { sandbox, ledger, hub, hubApiKey, operator, check } = await beginPushing(t, engine)
    const results = await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
      name: 'stop',
      recordType: PUSHED_TYPE,
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
    await check()
  })
}

async function beginPushing(t: TestContext, engine: ProcessEngine) {
  const { sandbox, askDatabase } = await engine.createSandbox(t)
  const hub = await sandbox.startHub()
  async function check(): Promise<void> {
    if (engine === sqlite) {
      const [row = {}] = await askDatabase('PRAGMA integrity_check')
      assert.deepEqual(Object.values(row), ['ok'])
    }
    await assertWholeWrites(askDatabase)
  }
  return { sandbox, hub, check, ...(await registerPusher(t, hub)) }
}

function isRefused(result: PushResult): boolean {
  return result.kind === 'answered' && result.status >= 300
}
