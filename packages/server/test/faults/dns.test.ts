import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type DnsServer, noDnsServer, startDnsServer } from '../helpers/process/dns-server.ts'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { type Operator, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'

/** As many silent names as platforms that the hub pulls at the same time. */
const SILENT = ['silent-1', 'silent-2', 'silent-3', 'silent-4'] as const
const NAMES = ['unknown', 'failing', ...SILENT, 'healthy'] as const

for (const engine of enginesForTier(sqlite)) {
  test(
    `failing look-ups of host names on ${engine.name} fail only their platforms, and only until they succeed`,
    async (t) => {
      const dns = await startDnsServer(t)
      const { sandbox } = await engine.createSandbox(t)
      const hub = await sandbox.startHub({ shell: dns.shell })
      const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
      for (const name of NAMES) await registerByName(t, operator, name)
      const pushing = startPushing(t, [hub], ledger, { name: 'dns', hubApiKey, connections: 2 })
      const report = createFaultReport('DNS failing', engine.name)

      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      for (let round = 0; round < rounds(1, 3); round += 1) {
        setAll(dns, true)
        report.caused()
        const pulling = operator.pullAll()
        // Hashing a password uses the same threads as a look-up.
        await signIn(hub.address)
        await pushing.untilAttempts(20, isAcknowledged)
        // The deep tier pushes until the end of the pull.
        if (!isDeep) await pushing.finish()
        const { pull, tasks } = await pulling
        assert.equal(pull.state, 'partial')
        const errors = new Map(tasks.map((task) => [task.platform_name, task.error]))
        assert.equal(errors.get('registry'), null)
        assert.equal(errors.get('healthy'), null, 'other look-ups do not wait for silent ones')
        assert.match(errors.get('unknown') ?? '', /its host name is unknown/)
        assert.match(errors.get('failing') ?? '', /its host name could not be looked up/)
        for (const name of SILENT) {
          assert.match(errors.get(name) ?? '', /could not be looked up|no connection within 10 s/)
        }
        setAll(dns, false)
        report.ended()
        assert.equal((await operator.pullAll()).pull.state, 'succeeded')
        report.recovered()
      }

      await pushing.finish()
      report.save(await ledger.compare(operator))
      await ledger.assertStored(operator)
      assert.ok(pushing.attempts.every(isAcknowledged), 'every push was acknowledged')
    },
    { skip: noDnsServer },
  )
}

async function registerByName(
  t: TestContext,
  operator: Operator,
  name: (typeof NAMES)[number],
): Promise<void> {
  // Each request looks up the name.
  const options = { name, modules: [generateModule('item', 1)], keepAlive: false }
  const platform = await startPlatform(t, options)
  const source_base_url = platform.source_base_url.replace('127.0.0.1', `${name}.test`)
  await operator.registerModules({ ...platform, source_base_url })
}

function setAll(dns: DnsServer, isFailing: boolean): void {
  for (const name of NAMES) {
    const fault =
      name === 'unknown' || name === 'failing' ? name : name === 'healthy' ? 'resolves' : 'silent'
    dns.set(`${name}.test`, isFailing ? fault : 'resolves')
  }
}
