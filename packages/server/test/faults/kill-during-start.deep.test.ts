/** A hub is killed at random moments of its start. The seed selects the moments among its accesses to the database. */
import { assertAtomicWrites, ENGINES } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { CONNECTIONS, createKit, killStart } from './kills.ts'

for (const engine of ENGINES) {
  test(`a hub killed at random moments of its start, and of the start after it, starts the next time (${engine.name})`, async (t) => {
    const { moments, sandbox, queryDatabase } = await createKit(t, engine)
    const { env } = moments
    const report = createFaultReport('SIGKILL during start', engine.name)
    // The first start creates the operator, and on SQLite the tables.
    for (let kill = 0; kill < 4; kill += 1) await killStart(sandbox, moments, 300)
    let hub = await sandbox.startHub({ env })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    for (let round = 0; round < 4; round += 1) {
      const hubs = [hub]
      const name = `start-${round}`
      const pushing = startPushing(t, hubs, ledger, { name, hubApiKey, connections: CONNECTIONS })
      await pushing.untilAttempts(30, isAcknowledged)
      await hub.stop('SIGKILL')
      for (let kill = 0; kill < 2; kill += 1) {
        await killStart(sandbox, moments, 100)
        report.caused()
      }
      report.ended()
      hub = await sandbox.startHub({ env })
      hubs[0] = hub
      await pushing.untilAttempts(1, isAcknowledged)
      report.recovered()
      await pushing.finish()
    }
    report.save(await ledger.compare(operator.at(hub.address)))
    await ledger.assertStored(operator.at(hub.address))
    await assertAtomicWrites(queryDatabase)
  })
}
