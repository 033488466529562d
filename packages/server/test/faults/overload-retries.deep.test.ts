/** Platforms push faster than the database stores: too many large bodies, and a database that is locked. */
import assert from 'node:assert/strict'
import { WITH_METRICS } from '../helpers/hub/scrape.ts'
import { ENGINES } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { assertBusy, assertEmpty, largePush, SMALL_HEAP, startHubOnPostgres } from './overload.ts'

for (const engine of ENGINES) {
  test(`pushes from many connections that retry after 503 are all acknowledged and stored (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { ...WITH_METRICS, ...SMALL_HEAP } })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const report = createFaultReport('overload: 200 connections', engine.name)
    const target = { address: hub.address, hubApiKey }
    let busy = 0
    async function pushUntilAcknowledged(index: number): Promise<void> {
      for (;;) {
        const push = largePush(index)
        const result = await pushOnce(target, push)
        ledger.record(push, result)
        if (result.kind === 'response' && result.status < 300) return
        assertBusy(result)
        busy += 1
        report.caused()
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, index) => pushUntilAcknowledged(index)))
    assert.ok(busy > 0)
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    await assertEmpty(hub)
  })
}

test('requests that get no connection to PostgreSQL return 503, and the next ones succeed when the lock ends', async (t) => {
  const { operator, lockRecords } = await startHubOnPostgres(t)
  const lock = await lockRecords()
  // A process has eight connections for reads. The others wait for one, for five seconds.
  const lists = Array.from({ length: 12 }, () => operator.call('GET', '/api/v1/records'))
  const { status, header } = await Promise.race(lists)
  assert.equal(status, 503)
  assert.match(header('retry-after'), /^\d+$/)
  await lock.release()
  for (const list of await Promise.all(lists)) assert.ok([200, 503].includes(list.status))
  assert.equal((await operator.call('GET', '/api/v1/records')).status, 200)
})
