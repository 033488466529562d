/**
 * The clock of a hub is set forward and back by an hour while it runs. On PostgreSQL a second hub has the right time,
 * and so has the database.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pull } from '@recordhub/protocol'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { connectOperator, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { type RunningHub, test } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'

const PRELOAD = new URL('../helpers/time/shifted-clock.mjs', import.meta.url).href
const HOUR_MS = 3_600_000
const TYPE = 'item'

for (const engine of enginesForTier(sqlite)) {
  test(`pushes, pulls and the schedule on ${engine.name} continue when the clock is set forward and back by an hour`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    const file = join(sandbox.folder, 'clock')
    writeFileSync(file, '0')
    const isShared = engine.name === 'PostgreSQL'
    const schedule = isShared ? {} : { HUB_PULL_SCHEDULE: '* * * * *' }
    const env = { NODE_OPTIONS: `--import=${PRELOAD}`, TEST_CLOCK_FILE: file, ...schedule }
    const hub = await sandbox.startHub({ env })
    const hubs = isShared ? [hub, await sandbox.startHub()] : [hub]
    const { hubApiKey, ledger } = await registerPusher(t, hub)
    const modules = [generateModule(TYPE, 10)]
    const platform = await startPlatform(t, { name: 'archive', modules })
    const { hub_api_key } = await (await connectOperator(hub)).registerModules(platform)
    const pushing = startPushing(t, hubs, ledger, {
      name: 'clock',
      hubApiKey,
      connections: rounds(1, 4),
    })
    const report = createFaultReport('clock set by an hour', engine.name)

    let jumps = 0
    for (let round = 0; round < rounds(1, 4); round += 1) {
      for (const offset of isDeep ? [HOUR_MS, 0, -HOUR_MS, 0] : [HOUR_MS]) {
        const paused = platform.pauseNextResponse()
        const before = isDeep ? await signIn(hub.address) : await connectOperator(hub)
        await before.requestPull()
        await paused.halfSent
        // The schedule may have started it, after the end of the requested one.
        const running = (await before.requestPull()).pull.id
        await setClock(hub, file, offset)
        report.caused()
        report.ended()
        await pushing.untilAttempts(rounds(10, 20), isAcknowledged)
        report.recovered()
        if (!isDeep) await pushing.finish()

        // After a jump by an hour, sessions that were idle for as long have ended.
        const operator = await signIn(hub.address)
        assert.equal((await operator.requestPull()).status, 409, 'the pull is still running')
        paused.release()
        assert.equal((await operator.untilPullEnds(running)).pull.state, 'succeeded')
        if (isShared) assert.equal((await operator.pullAll()).pull.state, 'succeeded')
        else if (round === 0) {
          // It takes up to a minute.
          await untilTrue('a scheduled pull starts', async () => {
            const text = await operator.request('GET', '/api/v1/pulls')
            const { pulls }: { pulls: Pull[] } = JSON.parse(text)
            return pulls.some(({ id, trigger }) => id > running && trigger === 'schedule')
          })
        }
        for (const { address } of hubs) {
          assert.equal((await fetch(`${address}/readyz`)).status, 200)
          // The hub's own clock is right, or the hub uses the clock of the database.
          if (offset !== 0 && !isShared) continue
          jumps += 1
          const outcome = await pushNow({ address, hubApiKey: hub_api_key }, jumps)
          assert.equal(outcome, 'updated', 'the push is newer than any pull')
        }
      }
    }

    await pushing.finish()
    const operator = await signIn(hub.address)
    report.save(await ledger.compare(operator))
    await ledger.assertStored(operator)
    assert.ok(pushing.attempts.every(isAcknowledged), 'every push was acknowledged')
    for (const one of hubs) {
      assert.deepEqual(await one.stop('SIGTERM'), { code: 0, signal: null })
    }
  })
}

/** Sets the clock of a hub, and waits until the hub uses it. */
async function setClock(hub: RunningHub, file: string, offsetMs: number): Promise<void> {
  const lines = hub.stdout.length
  writeFileSync(file, String(offsetMs))
  await untilTrue('the clock of the hub is set', () =>
    hub.stdout.slice(lines).some((line) => line === `The clock is shifted by ${offsetMs} ms`),
  )
}

/** Changes a pulled record, at the present time of the platform. @returns the outcome. */
async function pushNow(
  hub: { address: string; hubApiKey: string },
  number: number,
): Promise<string> {
  const response = await fetch(`${hub.address}/api/webhook/receive`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': hub.hubApiKey },
    body: JSON.stringify({
      record_type: TYPE,
      reference_number: 'item-0',
      data: { note: `push ${number}` },
      occurred_at: new Date().toISOString(),
    }),
  })
  assert.equal(response.status, 200)
  const { outcome }: { outcome: string } = JSON.parse(await response.text())
  return outcome
}
