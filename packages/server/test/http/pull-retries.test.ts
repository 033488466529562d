/**
 * The failed requests that the hub retries, and the delays before the retries. `pull-faulty-platforms.test.ts` counts
 * the requests for each kind of failure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../../src/lib/time/run-periodically.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { startPulledHub } from '../helpers/hub/pulled-hub.ts'
import {
  type Responder,
  respond,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'

const SENT = 'Tue, 10 Mar 2026 08:00:00 GMT'
const RETRY_AT = 'Tue, 10 Mar 2026 08:00:30 GMT'

/**
 * Failures of the first module, and the number of requests for the second one, which returns 503.
 * `domain/pull/retry.test.ts` and `platform-client/request/request-error.test.ts` prove which failures concern the whole
 * platform.
 */
const FIRST_FAILURES: readonly (readonly [string, Responder, number])[] = [
  ['404', respond.status(404), 4],
  ['401', respond.status(401), 1],
]

/** Starts a hub that records the delays before its retries instead of waiting. */
async function startRecordingDelays(engine: StorageEngine, env: Record<string, string> = {}) {
  const pauses: number[] = []
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds)
    return true
  }
  const kit = await startPulledHub(engine, { env, timeouts: { pause } })
  kit.platform.modules[0]?.records.push(simulatedRecord(1))
  return { ...kit, pauses }
}

describeOnEngines('retries', (engine) => {
  test('a 503 is retried with growing delays and the same key until the pull succeeds', async () => {
    await using kit = await startRecordingDelays(engine)
    kit.platform.queueResponses('records/cases', respond.status(503), respond.status(503))
    const task = await kit.pull()
    assert.deepEqual([task.state, task.created, task.error], ['succeeded', 1, null])
    assert.equal(kit.platform.listRecordsRequests().length, 3)
    const [first = 0, second = 0] = kit.pauses
    assert.ok(first > 0 && second >= first, 'the delays grow')
    for (const { headers } of kit.platform.listRecordsRequests()) {
      assert.equal(headers['x-platform-api-key'], kit.platform.source_api_key)
    }
  })

  for (const [what, failure, requests] of FIRST_FAILURES) {
    const isRetried = requests > 1
    test(`after a module failed with ${what}, the next module ${isRetried ? 'is' : 'is not'} retried`, async () => {
      const pause = async () => true
      await using hub = await startTestHub(engine, { timeouts: { pause } })
      const modules = ['a', 'b'].map((type) => simulatedModule(type))
      await using platform = await simulatePlatform({ modules })
      await hub.register(platform)
      platform.setResponse('records/a', failure)
      platform.setResponse('records/b', respond.status(503))
      const { tasks } = await hub.pullAll()
      assert.deepEqual(
        tasks.map((task) => task.state),
        ['failed', 'failed'],
      )
      const requested = platform
        .listRecordsRequests()
        .filter(({ path }) => path.endsWith('/records/b'))
      assert.equal(requested.length, requests)
    })
  }
  test('a module that succeeds enables retries for the modules after it', async () => {
    const pause = async () => true
    await using hub = await startTestHub(engine, { timeouts: { pause } })
    const types = ['a', 'b', 'c', 'd']
    const modules = types.map((type) => simulatedModule(type))
    await using platform = await simulatePlatform({ modules })
    await hub.register(platform)
    for (const type of types) platform.setResponse(`records/${type}`, respond.status(503))
    platform.setResponse('records/c', null)
    const { tasks } = await hub.pullAll()
    const countRequests = (type: string) =>
      platform.listRecordsRequests().filter(({ path }) => path.endsWith(`/records/${type}`)).length
    assert.deepEqual(types.map(countRequests), [4, 1, 1, 4])
    assert.deepEqual(
      tasks.map((task) => task.state),
      ['failed', 'failed', 'succeeded', 'failed'],
    )
  })

  test('a Retry-After date is relative to the Date header of the response', async () => {
    await using kit = await startRecordingDelays(engine)
    const busy = respond.status(503, { 'Retry-After': RETRY_AT, Date: SENT })
    kit.platform.queueResponses('records/cases', busy)
    assert.equal((await kit.pull()).state, 'succeeded')
    assert.deepEqual(kit.pauses, [30_000])
  })

  test('a Retry-After beyond the time limit of the pull fails the task at once', async () => {
    await using kit = await startRecordingDelays(engine, { HUB_PULL_TIMEOUT_SECONDS: '20' })
    kit.platform.setResponse('records/cases', respond.status(503, { 'Retry-After': '30' }))
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.match(task.error ?? '', /wait 30 s/)
    assert.equal(kit.platform.listRecordsRequests().length, 1)
  })

  test('a refused connection is retried and the pull succeeds', async () => {
    let goOnline: (() => Promise<void>) | null = null
    const pause = async () => {
      await goOnline?.()
      return true
    }
    await using kit = await startPulledHub(engine, { timeouts: { pause } })
    ;({ goOnline } = await kit.platform.goOffline())
    const task = await kit.pull()
    assert.deepEqual([task.state, task.error], ['succeeded', null])
    assert.equal(kit.platform.listRecordsRequests().length, 1)
  })

  test('a request is sent again at once after the platform closed its connection', async () => {
    await using kit = await startRecordingDelays(engine)
    kit.platform.queueResponses('records/cases', respond.disconnect())
    const task = await kit.pull()
    assert.deepEqual([task.state, task.created, task.error], ['succeeded', 1, null])
    assert.equal(kit.platform.listRecordsRequests().length, 2)
    assert.deepEqual(kit.pauses, [0])
  })

  test('stopping the hub ends the delay before a retry at once', {
    timeout: 120_000,
  }, async () => {
    const pausing = Promise.withResolvers<void>()
    const pause = (milliseconds: number, signal: AbortSignal) => {
      pausing.resolve()
      return sleep(milliseconds, signal)
    }
    await using kit = await startPulledHub(engine, { timeouts: { pause } })
    kit.platform.setResponse('records/cases', respond.status(503, { 'Retry-After': '59' }))
    const { id } = await kit.hub.startPull()
    await pausing.promise
    await kit.hub.restart()
    const { pull, tasks } = await kit.hub.readPull(id)
    assert.deepEqual([pull.state, only(tasks).state], ['interrupted', 'interrupted'])
    kit.platform.setResponse('records/cases', null)
    assert.equal((await kit.hub.pullAll()).pull.state, 'succeeded')
  })
})
