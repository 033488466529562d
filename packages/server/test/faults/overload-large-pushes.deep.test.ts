/** Platforms push faster than the database stores: too many large bodies. */
import assert from 'node:assert/strict'
import { scrapeProcess, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import {
  type BegunPush,
  beginPush,
  type Push,
  type PushResult,
  pushOnce,
} from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'
import { assertBusy, assertEmpty, LARGE, largePush, SMALL_HEAP } from './overload.ts'

const ADMITTED = 13
const PUSHES = rounds(15, 300)

for (const engine of enginesForTier(sqlite)) {
  test(`a hub with a small heap acknowledges only pushes that it stores, and recovers after an overload (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { ...WITH_METRICS, ...SMALL_HEAP } })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const report = createFaultReport('overload: large pushes', engine.name)
    const target = { address: hub.address, hubApiKey }
    const results = new Map<Push, PushResult>()
    const begin = (index: number): BegunPush => {
      const push = largePush(index)
      const begun = beginPush(target, push)
      void begun.result.then((result) => {
        ledger.record(push, result)
        results.set(push, result)
      })
      return begun
    }
    const begun = Array.from({ length: PUSHES }, (_, index) => begin(index))
    await untilTrue('all others are rejected', () => results.size === PUSHES - ADMITTED)
    for (const result of results.values()) {
      assertBusy(result)
      report.caused()
    }
    const rejected = [...results.keys()]
    const gauges = await scrapeProcess(hub)
    const bytes = gauges.get('recordhub_bodies_bytes{sender="platform"}') ?? Number.NaN
    assert.ok(bytes <= 8 * 1024 * 1024 && bytes > ADMITTED * LARGE, `${bytes} bytes`)
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200)
    assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
    assert.equal((await operator.call('GET', '/dashboard/realtime')).status, 200)

    for (const one of begun) if (!results.has(one.push)) one.finish()
    await Promise.all(begun.map(({ result }) => result))
    report.ended()
    for (const push of rejected) {
      const result = await pushOnce(target, push)
      ledger.record(push, result)
      assert.ok(result.kind === 'response' && result.status === 201, JSON.stringify(result))
      report.recovered()
    }
    report.save(await ledger.compare(operator))
    assert.equal(ledger.acknowledged(), 3 + PUSHES)
    await ledger.assertStored(operator)
    await assertEmpty(hub)
    assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  })
}
