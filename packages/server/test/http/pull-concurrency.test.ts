/** The number of platforms that a pull reads concurrently, and their order, so that none starves the others. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { createPullTimeLimit, startTestHub } from '../helpers/hub/hub.ts'
import { startPulledHub } from '../helpers/hub/pulled-hub.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

/** Tracks the maximum number of open requests for records. No request gets a response before `concurrent` are open. */
function trackOpenRequests(platforms: SimulatedPlatform[], concurrent: number) {
  const open = new Map(platforms.map((platform) => [platform, 0]))
  const all = () => [...open.values()].reduce((sum, count) => sum + count, 0)
  const max = { overall: 0, perPlatform: 0 }
  const reached = Promise.withResolvers<void>()
  for (const platform of platforms) {
    for (const { record_type } of platform.modules) {
      platform.setResponse(`records/${record_type}`, async (...exchange) => {
        open.set(platform, (open.get(platform) ?? 0) + 1)
        max.overall = Math.max(max.overall, all())
        max.perPlatform = Math.max(max.perPlatform, ...open.values())
        if (all() >= concurrent) reached.resolve()
        await reached.promise
        // Gives any further requests time to arrive.
        await new Promise((resolve) => setTimeout(resolve, 20))
        open.set(platform, (open.get(platform) ?? 0) - 1)
        respond.json({ records: [] })(...exchange)
      })
    }
  }
  return max
}

describeOnEngines('many platforms in one pull', (engine) => {
  test('HUB_PULL_CONCURRENCY platforms are read concurrently, with one request at a time to each', async () => {
    await using stack = new AsyncDisposableStack()
    const hub = stack.use(await startTestHub(engine, { env: { HUB_PULL_CONCURRENCY: '3' } }))
    const platforms: SimulatedPlatform[] = []
    for (let count = 0; count < 5; count += 1) {
      const modules = ['a', 'b', 'c'].map((type) => simulatedModule(type))
      const platform = stack.use(await simulatePlatform({ modules }))
      await hub.register(platform)
      platforms.push(platform)
    }
    const max = trackOpenRequests(platforms, 3)
    const { pull } = await hub.pullAll()
    assert.deepEqual([pull.state, pull.progress.tasks_done], ['succeeded', 15])
    assert.deepEqual(max, { overall: 3, perPlatform: 1 })
  })

  test('skipped platforms are pinged at the same time', async () => {
    await using stack = new AsyncDisposableStack()
    const hub = stack.use(await startTestHub(engine))
    const open = new Set<ServerResponse>()
    for (let count = 0; count < 17; count += 1) {
      const platform = stack.use(await simulatePlatform())
      await hub.register(platform)
      platform.setResponse('ping', (response) => {
        open.add(response)
        response.on('close', () => open.delete(response))
      })
    }
    const failedAt = new Date(Date.now() - 1000).toISOString()
    await hub.sql(
      `UPDATE platforms SET failures_in_row = 5, failed_at = '${failedAt}', recovered_at = NULL`,
    )
    const pulling = hub.pullOnSchedule()
    const allWait = until(async () => (open.size === 17 ? true : null), 'all pings are open')
    assert.equal(await Promise.race([allWait, pulling.then(() => false)]), true)
    for (const response of open) response.writeHead(500).end()
    assert.equal((await pulling).pull.state, 'failed')
  })

  test('a platform that timed out is pulled after those that were not reached', async () => {
    const { reach, waitForLimit } = createPullTimeLimit()
    const env = { HUB_PULL_CONCURRENCY: '1' }
    await using hub = await startTestHub(engine, { env, waitForLimit })
    await using hanging = await simulatePlatform()
    await using healthy = await simulatePlatform()
    await hub.register(hanging)
    await hub.register(healthy)
    hanging.setResponse('records/cases', reach)
    const pullUntilTimeout = async () => {
      const { pull, tasks } = await hub.pullAll()
      assert.equal(pull.state, 'timed_out')
      return Object.fromEntries(tasks.map((task) => [task.platform_name, task]))
    }
    const first = await pullUntilTimeout()
    assert.equal(first[hanging.platform_name]?.state, 'timed_out')
    assert.match(
      first[hanging.platform_name]?.error ?? '',
      /before the platform sent any records.* hangs/,
    )
    assert.equal(first[healthy.platform_name]?.state, 'not_reached')
    const entry = (await hub.activity()).find(({ kind }) => kind === 'pull.timed_out')
    assert.match(entry?.message ?? '', /time limit: 0 of 2 modules read, 2 not finished$/)
    for (let round = 0; round < 2; round += 1) {
      const then = await pullUntilTimeout()
      assert.equal(then[healthy.platform_name]?.state, 'succeeded')
      assert.equal(then[hanging.platform_name]?.state, 'timed_out')
    }
  })

  test('the other platforms are read while one platform hangs', async () => {
    await using hub = await startTestHub(engine, { env: { HUB_PULL_CONCURRENCY: '2' } })
    await using stack = new AsyncDisposableStack()
    const hanging = stack.use(await simulatePlatform())
    await hub.register(hanging)
    const delayed = hanging.delayNextResponse('records/cases')
    for (let count = 0; count < 4; count += 1) {
      await hub.register(stack.use(await simulatePlatform()))
    }
    const { id } = await hub.startPull()
    await delayed.arrived
    await until(async () => {
      const { pull } = await hub.readPull(id)
      return pull.progress.tasks_done === 4 ? pull : null
    }, 'the four other platforms are read')
    delayed.release()
    assert.equal((await hub.untilPullEnds(id)).pull.state, 'succeeded')
  })
})

describeOnEngines('the progress of a pull', (engine) => {
  test('is reported during a response: records, rate, percent and time left', async () => {
    await using kit = await startPulledHub(engine)
    const record = simulatedRecord(1, { text: 'x'.repeat(1000) })
    const rows = Array.from({ length: 100 }, (_, index) =>
      JSON.stringify({ ...record, reference_number: `R-${index}` }),
    )
    let isReported = false
    kit.platform.setResponse('records/cases', (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.write(`{"total":1000,"records":[${rows.join(',')}`)
      // Repeats a record that was sent already: the hub reports progress only while data arrives.
      const timer = setInterval(() => {
        response.write(`,${rows[0]}`)
        if (!isReported) return
        clearInterval(timer)
        response.end(']}')
      }, 100)
      response.on('close', () => clearInterval(timer))
    })
    const { id } = await kit.hub.startPull()
    const { progress, counts } = await until(async () => {
      const { pull } = await kit.hub.readPull(id)
      assert.equal(pull.state === 'queued' || pull.state === 'running', true, pull.state)
      return pull.counts.created === 100 ? pull : null
    }, 'the pull reports its progress')
    isReported = true
    assert.equal(progress.records_total, 1000)
    assert.ok(counts.received >= 100 && (progress.records_per_second ?? 0) > 0)
    assert.ok((progress.percent ?? 0) >= 10 && (progress.percent ?? 100) < 100)
    assert.equal((await kit.hub.untilPullEnds(id)).pull.state, 'succeeded')
  })
})
