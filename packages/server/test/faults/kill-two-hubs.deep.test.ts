import assert from 'node:assert/strict'
import { assertAtomicWrites, postgres } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import {
  isAcknowledged,
  type PushAttempt,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { rounds } from '../helpers/time/tier.ts'

test('two hubs on one database, killed in turn during pushes, lose no acknowledged push', async (t) => {
  const { sandbox, queryDatabase } = await postgres.createSandbox(t)
  const first = await sandbox.startHub()
  const hubs = [first, await sandbox.startHub()]
  const { operator, hubApiKey, ledger } = await registerPusher(t, first)
  const random = createSeededRandom()
  const report = createFaultReport('SIGKILL of one of two hubs', 'PostgreSQL')
  for (let round = 0; round < rounds(1, 6); round += 1) {
    // The deep tier kills each hub at least once.
    const killedIndex = round < 2 ? round : Math.floor(random() * 2)
    const name = `round-${round}`
    const pushing = startPushing(t, hubs, ledger, { name, hubApiKey, connections: rounds(2, 24) })
    const count = 1 + Math.floor(random() * rounds(10, 150))
    await Promise.all([0, 1].map((hub) => pushing.untilAttempts(count, isAcknowledgedBy(hub))))
    report.caused()
    const killedHub = hubs[killedIndex]
    assert.deepEqual(await killedHub?.stop('SIGKILL'), { code: null, signal: 'SIGKILL' })
    await pushing.untilAttempts(rounds(6, 100), isAcknowledgedBy(1 - killedIndex))
    report.ended()
    hubs[killedIndex] = await sandbox.startHub()
    await pushing.untilAttempts(1, isAcknowledgedBy(killedIndex))
    report.recovered()
    await Promise.all(
      [0, 1].map((hub) => pushing.untilAttempts(rounds(4, 50), isAcknowledgedBy(hub))),
    )
    await pushing.finish()

    const responses = pushing.attempts.filter(({ result }) => result.kind === 'response')
    assert.deepEqual(
      responses.filter((one) => !isAcknowledged(one)),
      [],
      'no push was rejected',
    )
    assert.ok(responses.length < pushing.attempts.length, 'the kill interrupted some pushes')
    assert.deepEqual(ledger.unacknowledged(), [])
    for (const hub of hubs) await ledger.assertStored(operator.at(hub.address))
  }
  const [restarted = first] = hubs
  report.save(await ledger.compare(operator.at(restarted.address)))
  await assertAtomicWrites(queryDatabase)
  for (const hub of hubs) {
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
    assert.deepEqual(hub.stderr, [])
  }
})

function isAcknowledgedBy(hub: number): (pushed: PushAttempt) => boolean {
  return (pushed) => pushed.hub === hub && isAcknowledged(pushed)
}
