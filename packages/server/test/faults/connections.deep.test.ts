import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { type NetworkState, startFaultyNetwork } from '../helpers/process/faulty-network.ts'
import { openIdleConnections } from '../helpers/process/idle-connections.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { guardMs } from '../helpers/time/guard.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'

/** In the deep tier, twice as many as the hub keeps open. */
const IDLE = rounds(200, 10_000)
const MAX_RSS_BYTES = 600_000_000

const TOO_SLOW = /fewer than 1024 bytes per second for 60 s/
/** In the quick tier, the time limit of the pull ends the read of the slow platform. */
const PULL_SECONDS = isDeep ? 120 : Math.min(60, Math.ceil(guardMs(5000) / 1000))

/** Half of a request, half of a body, a response that is not read, nothing. */
const HALVES = [
  'GET /readyz HTTP/1.1\r\nHost:',
  'POST /api/auth/sign-in/email HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  'GET /readyz HTTP/1.1\r\nHost: hub\r\n\r\n',
  '',
] as const

for (const engine of enginesForTier(sqlite)) {
  test(`${IDLE} idle and half-open connections on ${engine.name} hinder neither pushes nor operators`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const hub = await sandbox.startHub()
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const pushing = startPushing(t, [hub], ledger, { name: 'idle', hubApiKey, connections: 4 })
    const report = createFaultReport(`${IDLE} idle connections`, engine.name)

    const textOf = (index: number) => HALVES[index % HALVES.length] ?? ''
    const idle = await openIdleConnections(t, hub.address, IDLE, textOf)
    report.caused()
    await pushing.untilAttempts(rounds(20, 100), isAcknowledged)
    await signIn(hub.address)
    assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
    assert.equal((await operator.pullAll()).pull.state, 'succeeded')
    const rss = readResidentBytes(hub.child.pid)
    assert.ok(rss < MAX_RSS_BYTES, `${rss} bytes of memory`)
    t.diagnostic(`${rss} bytes of memory, ${idle.closed()} connections closed`)
    idle.close()
    report.ended()
    await pushing.untilAttempts(20, isAcknowledged)
    report.recovered()

    await pushing.finish()
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  })

  test(`platforms on ${engine.name} that send a byte per second or nothing do not block the others`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const env = { HUB_PULL_TIMEOUT_SECONDS: String(PULL_SECONDS), HUB_PULL_CONCURRENCY: '4' }
    const hub = await sandbox.startHub({ env })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const networks = new Map<string, (state: NetworkState) => void>()
    for (const name of ['trickling', 'silent', 'healthy'] as const) {
      const options = { name, modules: [generateModule('item', 100)], keepAlive: false }
      const platform = await startPlatform(t, options)
      const network = await startFaultyNetwork(t, platform)
      await operator.registerModules({ ...platform, source_base_url: network.address })
      networks.set(name, network.set)
    }
    const pushing = startPushing(t, [hub], ledger, { name: 'slow', hubApiKey, connections: 2 })
    const report = createFaultReport('a byte per second, half-open connection', engine.name)

    networks.get('trickling')?.('trickling')
    networks.get('silent')?.('silent')
    report.caused()
    const requested = await operator.requestPull()
    await pushing.untilAttempts(20, isAcknowledged)
    // The deep tier pushes until the end of the pull.
    if (!isDeep) await pushing.finish()
    const { pull, tasks } = await operator.untilPullEnds(requested.pull.id)
    assert.equal(pull.state, 'timed_out')
    const byName = new Map(tasks.map((task) => [task.platform_name, task]))
    assert.equal(byName.get('healthy')?.state, 'succeeded')
    assert.equal(byName.get('healthy')?.received, 100)
    assert.equal(byName.get('silent')?.state, 'timed_out')
    assert.match(
      byName.get('trickling')?.error ?? '',
      isDeep ? TOO_SLOW : new RegExp(`${TOO_SLOW.source}|time limit`),
    )

    for (const set of networks.values()) set('open')
    report.ended()
    assert.equal((await operator.pullAll()).pull.state, 'succeeded')
    report.recovered()
    await pushing.finish()
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    assert.ok(pushing.attempts.every(isAcknowledged), 'every push was acknowledged')
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
  })
}

/** The resident memory of a process; 0 where it is unknown. */
function readResidentBytes(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1024 * Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1])
}
