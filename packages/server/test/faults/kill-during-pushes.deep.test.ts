import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  assertAtomicWrites,
  enginesForTier,
  type ProcessEngine,
  sqlite,
} from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { PUSHED_TYPE, pushUntilRejected } from '../helpers/process/ledger.ts'
import { type PushResult, pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { createKit, killStart } from './kills.ts'

const CONNECTIONS = rounds(8, 24)

for (const engine of enginesForTier(sqlite)) {
  test(`a hub killed during pushes loses no acknowledged push (${engine.name})`, async (t) => {
    const { sandbox, moments, ledger, hubApiKey, check, ...started } = await startHubWithPusher(
      t,
      engine,
    )
    let { hub } = started
    const { env } = moments
    const random = createSeededRandom()
    const report = createFaultReport('SIGKILL during pushes', engine.name)
    for (let round = 0; round < rounds(1, 8); round += 1) {
      const targetResponses = 1 + Math.floor(random() * rounds(100, 400))
      const target = { address: hub.address, hubApiKey }
      const killed = hub
      const results = await pushUntilRejected(target, ledger, {
        name: `kill-${round}`,
        connections: CONNECTIONS,
        targetResponses,
        onTarget: () => killed.child.kill('SIGKILL'),
      })
      assert.equal(results.filter(isRejected).length, 0, 'no push is rejected')
      assert.deepEqual(await killed.ended, { code: null, signal: 'SIGKILL' })
      report.caused()
      report.ended()

      // In the deep tier, another test kills starts.
      if (!isDeep) await killStart(sandbox, moments, 100)
      hub = await sandbox.startHub({ env })
      const restarted = { address: hub.address, hubApiKey }
      const push = {
        method: 'POST',
        record_type: PUSHED_TYPE,
        reference_number: `after-${round}`,
        data: {},
      } as const
      const first = await pushOnce(restarted, push)
      ledger.record(push, first)
      report.recovered()
      assert.equal(first.kind === 'response' && first.status, 201, 'the hub is writable')
      await ledger.assertStored(started.operator.at(hub.address))
      await Promise.all(
        ledger
          .unacknowledged()
          .map(async (push) => ledger.record(push, await pushOnce(restarted, push))),
      )
      assert.deepEqual(ledger.unacknowledged(), [], 'repeated pushes are accepted')
      await ledger.assertStored(started.operator.at(hub.address))
    }
    report.save(await ledger.compare(started.operator.at(hub.address)))
    await check()
  })
}

for (const engine of enginesForTier(sqlite)) {
  test(`a hub that receives SIGTERM during pushes loses no acknowledged push (${engine.name})`, async (t) => {
    const { sandbox, ledger, hub, hubApiKey, operator, check } = await startHubWithPusher(t, engine)
    const results = await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
      name: 'stop',
      connections: CONNECTIONS,
      targetResponses: rounds(50, 200),
      onTarget: () => hub.child.kill('SIGTERM'),
    })
    assert.deepEqual(await hub.ended, { code: 0, signal: null })
    assert.deepEqual(hub.stderr, [])
    for (const result of results) {
      assert.notEqual(result.kind, 'truncated', 'no response is truncated')
      if (result.kind !== 'response' || result.status < 300) continue
      assert.equal(result.status, 503, result.text)
      assert.match(result.retryAfter ?? '', /^\d+$/)
      assert.equal(JSON.parse(result.text).success, false)
    }
    const restarted = await sandbox.startHub()
    await ledger.assertStored(operator.at(restarted.address))
    await check()
  })
}

async function startHubWithPusher(t: TestContext, engine: ProcessEngine) {
  const { sandbox, moments, queryDatabase } = await createKit(t, engine)
  const hub = await sandbox.startHub({ env: moments.env })
  async function check(): Promise<void> {
    if (engine === sqlite) {
      const [row = {}] = await queryDatabase('PRAGMA integrity_check')
      assert.deepEqual(Object.values(row), ['ok'])
    }
    await assertAtomicWrites(queryDatabase)
  }
  return { sandbox, moments, hub, check, ...(await registerPusher(t, hub)) }
}

function isRejected(result: PushResult): boolean {
  return result.kind === 'response' && result.status >= 300
}
