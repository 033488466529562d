import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { openIdleConnections } from '../helpers/process/idle-connections.ts'
import { PUSHED_TYPE } from '../helpers/process/ledger.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { pushOnce } from '../helpers/process/push.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'

/** `ulimit -n`, of which the hub uses half for connections. */
const MAX_FILES = 200
const MAX_CONNECTIONS = MAX_FILES / 2

for (const engine of enginesForTier(sqlite)) {
  test(`a low limit of file descriptors on ${engine.name} limits connections, and not pushes and pulls`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const hub = await sandbox.startHub({ shell: `ulimit -n ${MAX_FILES}` })
    await hub.untilPrinted(/may open only 200 files \(ulimit -n\).*100 connections/)
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const options = { name: 'pulled', modules: [generateModule('item', 10)], keepAlive: false }
    await operator.registerModules(await startPlatform(t, options))
    const pushing = startPushing(t, [hub], ledger, {
      name: 'files',
      hubApiKey,
      connections: rounds(2, 4),
    })
    const report = createFaultReport('no free file descriptor', engine.name)

    for (let round = 0; round < rounds(1, 5); round += 1) {
      await t.test('idle clients occupy every connection', async () => {
        const count = MAX_FILES * 2
        const idle = await openIdleConnections(t, hub.address, count)
        await untilTrue(
          'the hub has closed unused connections',
          () => idle.closed() >= count - MAX_CONNECTIONS,
        )
        await pushing.untilAttempts(20, isAcknowledged)
        await signIn(hub.address)
        assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
        assert.equal((await operator.pullAll()).pull.state, 'succeeded')
        await hub.untilPrinted(/too many connections are open/)
        idle.close()
      })

      await t.test('no file descriptor is free', async () => {
        const pid = String(hub.child.pid)
        // Opens the connection of the operator again if it was closed.
        await operator.request('GET', '/api/v1/account')
        // The open files stay open.
        execFileSync('prlimit', ['--pid', pid, '--nofile=3:'])
        report.caused()
        // At once, because the connection of the operator is closed after it has been idle for some seconds.
        const { tasks } = await operator.pullAll()
        await pushing.untilAttempts(20, isAcknowledged)
        const pulled = tasks.find((task) => task.platform_name === 'pulled')
        assert.equal(pulled?.state, 'failed')
        assert.match(pulled.error ?? '', /too many files and connections open/)
        const push = { record_type: PUSHED_TYPE, reference_number: `waits-${round}`, data: {} }
        const waiting = pushOnce({ address: hub.address, hubApiKey }, { ...push, method: 'POST' })

        execFileSync('prlimit', ['--pid', pid, `--nofile=${MAX_FILES}:`])
        report.ended()
        if (isDeep) await signIn(hub.address)
        report.recovered()
        // The hub accepts the connection that has waited, or has closed it.
        ledger.record({ ...push, method: 'POST' }, await waiting)
        assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
        assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      })
    }

    await pushing.finish()
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    for (const one of pushing.attempts) {
      // A connection without a request in progress may be closed at any time.
      if (one.result.kind === 'response') assertAcknowledgedOrUnavailable(one)
    }
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  })
}
