import assert from 'node:assert/strict'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { pushUntilRejected } from '../helpers/process/ledger.ts'

import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'

/** The smallest heap of the main thread in docs/operations.md, in MB. V8 aborts a process that exceeds it. */
const HEAP_MB = 192
const PRELOAD = new URL('../helpers/process/exhaust-heap.mjs', import.meta.url).href
/** Below `HUB_MAX_BODY_BYTES`. */
const LARGE_PUSH_BYTES = 900_000

for (const engine of enginesForTier(sqlite)) {
  test(`a heap of ${HEAP_MB} MB is enough for large pushes during a large pull (${engine.name})`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` }
    const hub = await sandbox.startHub({ env })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const modules = [generateModule('item', rounds(4000, 200_000))]
    await operator.registerModules(await startPlatform(t, { name: 'archive', modules }))
    const report = createFaultReport('memory limit', engine.name)
    report.caused()
    const { pull } = await operator.requestPull()
    let isPushing = true
    const results = await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
      name: 'large',
      connections: 8,
      targetResponses: rounds(12, 200),
      onTarget: () => {
        isPushing = false
      },
      padding: 'x'.repeat(LARGE_PUSH_BYTES),
      isFinished: () => !isPushing,
    })
    assert.ok(results.every((one) => one.kind === 'response' && one.status < 300))
    assert.equal((await operator.untilPullEnds(pull.id)).pull.state, 'succeeded')
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  })

  test(`a hub on ${engine.name} that V8 aborts because its heap is full loses no acknowledged push`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const env = { NODE_OPTIONS: `--import=${PRELOAD} --max-old-space-size=200` }
    // The address changes with each start.
    const hub = { ...(await sandbox.startHub({ env })) }
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const pushing = startPushing(t, [hub], ledger, {
      name: 'abort',
      hubApiKey,
      connections: rounds(2, 8),
    })
    const report = createFaultReport('out of memory', engine.name)
    for (let round = 0; round < rounds(1, 5); round += 1) {
      await pushing.untilAttempts(rounds(20, 100), isAcknowledged)
      report.caused()
      hub.child.kill('SIGUSR2')
      const { code, signal } = await hub.ended
      assert.ok(code === 134 || signal === 'SIGABRT', `code ${code}, signal ${signal}`)
      assert.match(hub.stderr.join('\n'), /JavaScript heap out of memory/)
      report.ended()
      Object.assign(hub, await sandbox.startHub({ env }))
      await pushing.untilAttempts(20, isAcknowledged)
      report.recovered()
      const { pull } = await operator.at(hub.address).pullAll()
      assert.equal(pull.state, 'succeeded')
    }
    await pushing.finish()
    report.save(await ledger.compare(operator.at(hub.address)))
    await ledger.assertStored(operator.at(hub.address))
  })
}
