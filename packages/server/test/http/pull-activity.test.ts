/** The activity reports each failure and recovery of a module once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectObject } from '../helpers/hub/response.ts'
import { simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { respond } from '../helpers/platform/respond.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** The kinds of the activity entries about tasks, oldest first. */
async function taskKinds(hub: TestHub): Promise<string[]> {
  const entries = (await hub.activity()).filter((entry) => entry.kind.startsWith('pull_task.'))
  return entries.map((entry) => entry.kind).reverse()
}

describeOnEngines('failures and recoveries in the activity', (engine) => {
  test('each different failure and the recovery are logged once', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    await hub.register(platform)
    platform.setResponse('records/cases', respond.status(500))
    await hub.pullAll()
    await hub.pullAll()
    assert.deepEqual(await taskKinds(hub), ['pull_task.failed'])
    platform.setResponse('records/cases', respond.status(404))
    await hub.pullAll()
    await hub.pullAll()
    platform.setResponse('records/cases', null)
    await hub.pullAll()
    await hub.pullAll()
    const expected = ['pull_task.failed', 'pull_task.failed', 'pull_task.recovered']
    assert.deepEqual(await taskKinds(hub), expected)
  })

  test('scheduled pulls with the same failures are logged once, and every manual pull is logged', async () => {
    await using hub = await startTestHub(engine)
    await using failing = await simulatePlatform()
    await using healthy = await simulatePlatform()
    await hub.register(failing)
    await hub.register(healthy)
    const ends = async () =>
      (await hub.activity()).filter((entry) => entry.kind === 'pull.partial').reverse()
    failing.setResponse('records/cases', respond.status(500))
    failing.setResponse('ping', respond.status(500))
    for (let round = 1; round <= 5; round += 1) await hub.pullOnSchedule()
    const { pull, tasks } = await hub.pullOnSchedule()
    const states = Object.fromEntries(tasks.map((task) => [task.platform_name, task.state]))
    assert.deepEqual(states, {
      [failing.platform_name]: 'skipped',
      [healthy.platform_name]: 'succeeded',
    })
    assert.equal(pull.state, 'succeeded', 'every requested platform responded')
    const [first, ...more] = await ends()
    assert.match(first?.message ?? '', /succeeded in part: 1 of 2 modules read, 1 failed$/)
    assert.deepEqual(more, [])
    // The end of a manual pull is always logged.
    const manual = await hub.pullAll()
    assert.equal((await ends()).at(-1)?.details['pull_id'], manual.pull.id)
    failing.setResponse('records/cases', null)
    healthy.setResponse('records/cases', respond.status(500))
    await hub.pullAll()
    failing.setResponse('records/cases', respond.status(500))
    const failed = await hub.pullOnSchedule()
    assert.equal(failed.pull.state, 'failed')
    const entries = await hub.activity()
    const ofPull = entries.filter((entry) => entry.details['pull_id'] === failed.pull.id)
    assert.match(ofPull.find(({ kind }) => kind === 'pull.failed')?.message ?? '', /2 failed$/)
  })

  test('a scheduled pull that skips every platform fails, and is logged once', async () => {
    await using hub = await startTestHub(engine)
    await using failing = await simulatePlatform()
    await hub.register(failing)
    failing.setResponse('records/cases', respond.status(500))
    failing.setResponse('ping', respond.status(500))
    for (let round = 1; round <= 5; round += 1) await hub.pullOnSchedule()
    const { pull } = await hub.pullOnSchedule()
    assert.deepEqual([pull.state, pull.progress.percent], ['failed', 100])
    assert.equal(failing.listRecordsRequests().length, 5)
    const kinds = (await hub.activity()).map((entry) => entry.kind)
    assert.equal(kinds.filter((kind) => kind === 'pull.failed').length, 1)
    assert.equal(kinds.filter((kind) => kind === 'platform.passed_over').length, 1)
  })

  test('a skipped platform is pulled again after any evidence that it works', async () => {
    await using hub = await startTestHub(engine, { timeouts: { resumedFirstByteSeconds: 0.1 } })
    await using platform = await simulatePlatform()
    const { id, post } = await hub.register(platform)
    const fail = () => platform.setResponse('records/cases', respond.status(500))
    const path = `/api/v1/platforms/${id}`
    const send = async (method: 'POST' | 'PATCH', url: string, body: unknown) => {
      const headers = { authorization: hub.authorization('operator') }
      expectObject(await hub.send({ method, url, headers, body }), 200)
    }
    const evidence: [string, () => Promise<unknown>][] = [
      ['a connection test', () => send('POST', `${path}/test`, {})],
      ['its manifest', () => send('POST', `${path}/manifest/refresh`, {})],
      ['a response to a search', () => hub.get('/api/v1/search?query=person')],
      // Its manifest endpoint works, but its records endpoint does not.
      ['a check of the whole platform', () => send('POST', `${path}/conformance`, {})],
      [
        'a reactivation',
        async () => {
          await hub.setStatus(id, 'inactive')
          await hub.setStatus(id, 'active')
        },
      ],
      // Comes last because the time of a push is stored with a precision of one minute.
      ['a push', () => post(newRecord('P-1'))],
    ]
    const pullUntilPaused = async () => {
      fail()
      for (let round = 1; round <= 5; round += 1) await hub.pullOnSchedule()
    }
    const pullOnSchedule = async () => only((await hub.pullOnSchedule()).tasks).state
    await pullUntilPaused()
    const other = { success: true, message: 'Online', platform_name: 'other' }
    platform.setResponse('ping', respond.json(other))
    assert.equal(await pullOnSchedule(), 'skipped', 'after the ping of another platform')
    platform.setResponse('ping', null)
    assert.equal(await pullOnSchedule(), 'failed', 'after a ping, in the same pull')
    platform.setResponse('records/cases', respond.status(503))
    const requests = platform.listRecordsRequests().length
    assert.equal(await pullOnSchedule(), 'failed', 'after a ping, while it is busy')
    assert.equal(platform.listRecordsRequests().length, requests + 1, 'without retries')
    platform.setResponse('records/cases', () => undefined)
    assert.equal(await pullOnSchedule(), 'failed', 'after a ping, while it hangs')
    platform.setResponse('records/cases', null)
    assert.equal(await pullOnSchedule(), 'succeeded', 'after a ping, in the same pull')
    platform.setResponse('ping', respond.status(500))
    await pullUntilPaused()
    const pausedUntil = async () =>
      JSON.parse((await hub.get(path)).text).platform.pulls_paused_until
    for (const [what, produce] of evidence) {
      assert.equal(await pullOnSchedule(), 'skipped', `before ${what}`)
      assert.notEqual(await pausedUntil(), null, `before ${what}`)
      await produce()
      assert.equal(await pausedUntil(), null, `after ${what}`)
      fail()
      assert.equal(await pullOnSchedule(), 'failed', `after ${what}`)
    }
    platform.setResponse('records/cases', null)
    await post(newRecord('P-2'))
    assert.equal((await hub.pullOnSchedule()).pull.state, 'succeeded')
    const { pulls } = hub.storage
    const [last] = await pulls.listPlatformPulls({ platform_id: id, limit: 1, before: null })
    assert.equal(last?.state, 'succeeded')
  })

  test('a skipped platform that responds gets the usual limits from time to time, since it may be slow', async () => {
    await using hub = await startTestHub(engine, { timeouts: { usualLimitsAfterSeconds: 0 } })
    await using platform = await simulatePlatform()
    await hub.register(platform)
    platform.setResponse('records/cases', respond.status(500))
    for (let round = 1; round <= 5; round += 1) await hub.pullOnSchedule()
    platform.setResponse('records/cases', null)
    platform.queueResponses('records/cases', respond.status(503))
    const { state } = only((await hub.pullOnSchedule()).tasks)
    assert.equal(state, 'succeeded', 'with a retry')
  })

  test('a pull with the same rejections is not logged again, unless it has new records', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    await hub.register(platform)
    const [module] = platform.modules
    assert.ok(module)
    module.records.push(simulatedRecord(1, 'no object'), simulatedRecord(2))
    await hub.pullAll()
    await hub.pullAll()
    assert.deepEqual(await taskKinds(hub), ['pull_task.succeeded'])
    module.records.push(simulatedRecord(3))
    await hub.pullAll()
    const entries = (await hub.activity()).filter((entry) => entry.kind.startsWith('pull_task.'))
    assert.deepEqual(
      entries.map((entry) => entry.level),
      ['info', 'warning'],
    )
    module.records.shift()
    await hub.pullAll()
    assert.equal((await taskKinds(hub)).at(-1), 'pull_task.recovered')
  })
})
