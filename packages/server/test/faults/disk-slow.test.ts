/** A disk on which every fsync takes longer, simulated by a library that is loaded with LD_PRELOAD. */
import assert from 'node:assert/strict'
import { noShim } from '../helpers/process/compile-shim.ts'
import { slowDiskEnvironment } from '../helpers/process/disk-faults.ts'
import { assertAtomicWrites, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'

import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'

for (const milliseconds of isDeep ? [5, 200] : [200]) {
  test(
    `a disk that takes ${milliseconds} ms longer per fsync loses no push and fails no request`,
    async (t) => {
      const { sandbox, queryDatabase } = await sqlite.createSandbox(t)
      const report = createFaultReport(`fsync takes ${milliseconds} ms longer`, 'SQLite')
      const env = slowDiskEnvironment(milliseconds)
      const hub = await sandbox.startHub({ env })
      const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
      report.caused()
      const work = { name: 'slow', hubApiKey, connections: rounds(4, 24) }
      const pushing = startPushing(t, [hub], ledger, work)
      await pushing.untilAttempts(rounds(8, 1000), isAcknowledged)
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
      // Syncs take most of the time, so the kill almost always interrupts one.
      if (isDeep) await hub.stop('SIGKILL')
      const late = pushing.finish()

      report.ended()
      const restarted = isDeep ? await sandbox.startHub({ env }) : hub
      hub.address = restarted.address
      await late
      report.recovered()
      const isExpected = pushing.attempts.every(
        (one) => isAcknowledged(one) || one.result.kind !== 'response',
      )
      assert.ok(isExpected, 'the hub rejects no push')
      report.save(await ledger.compare(operator.at(restarted.address)))
      await ledger.assertStored(operator.at(restarted.address))
      await assertAtomicWrites(queryDatabase)
      assert.deepEqual(await restarted.stop('SIGTERM'), { code: 0, signal: null })
    },
    { skip: noShim },
  )
}
