/** The schedule of pulls: read, paused and resumed by an operator, on all nodes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schedule } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import {
  createPullTimeLimit,
  createScheduleTime,
  startTestHub,
  type TestHub,
} from '../helpers/hub/hub.ts'
import { expectError } from '../helpers/hub/response.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

/** Half an hour from now, so that no scheduled pull starts during a test. */
const MINUTE = (new Date().getUTCMinutes() + 30) % 60
const HOURLY = { HUB_PULL_SCHEDULE: `${MINUTE} * * * *` }

async function readSchedule(hub: TestHub): Promise<Schedule> {
  return (await hub.call('GET /api/v1/schedule')).schedule
}

async function setPaused(hub: TestHub, paused: boolean): Promise<Schedule> {
  return (await hub.call('PATCH /api/v1/schedule', { body: { paused }, as: 'operator' })).schedule
}

function change(hub: TestHub, body: unknown) {
  return hub.callAs('operator', 'PATCH', '/api/v1/schedule', body)
}

describeOnEngines('the schedule of pulls', (engine) => {
  test('returns its pattern and next run time, and the dashboard shows the same time', async () => {
    await using hub = await startTestHub(engine, { env: HOURLY, withOperator: true })
    const { pattern, paused, next_run_at } = await readSchedule(hub)
    assert.deepEqual([pattern, paused], [`${MINUTE} * * * *`, false])
    assert.equal(new Date(next_run_at ?? '').getUTCMinutes(), MINUTE)
    const { pull } = await hub.snapshot()
    assert.deepEqual([pull.schedule_paused, pull.next_run_at], [false, next_run_at])
  })

  test('has no next run time while it is off', async () => {
    await using hub = await startTestHub(engine)
    const { pattern, next_run_at } = await readSchedule(hub)
    assert.deepEqual([pattern, next_run_at], [null, null])
  })

  test('remains paused after a restart until it is resumed, and both changes are logged', async () => {
    await using hub = await startTestHub(engine, { env: HOURLY, withOperator: true })
    const paused = await setPaused(hub, true)
    assert.equal(paused.paused, true)
    assert.ok(paused.paused_since && paused.paused_by)
    assert.equal(paused.next_run_at, null)
    const { pull } = await hub.snapshot()
    assert.deepEqual([pull.schedule_paused, pull.next_run_at], [true, null])
    await hub.restart({ env: HOURLY, withOperator: true })
    assert.deepEqual(await readSchedule(hub), paused)
    // An operator may still start a pull.
    await hub.startPull()
    const resumed = await setPaused(hub, false)
    assert.deepEqual([resumed.paused, resumed.paused_by], [false, null])
    assert.ok(resumed.next_run_at)
    const kinds = (await hub.activity()).map((entry) => entry.kind)
    assert.ok(kinds.includes('schedule.paused') && kinds.includes('schedule.resumed'))
  })

  test('can be paused only with a boolean', async () => {
    await using hub = await startTestHub(engine)
    for (const body of [{}, { paused: 'yes' }, { paused: true, until: 'tomorrow' }]) {
      expectError(await change(hub, body), 400, 'invalid_request')
    }
    assert.equal((await readSchedule(hub)).paused, false)
  })

  test('starts pulls again after it is resumed', async () => {
    const { scheduleTime, pass } = createScheduleTime()
    const env = { HUB_PULL_SCHEDULE: '* * * * *' }
    await using hub = await startTestHub(engine, { env, scheduleTime })
    await using platform = await simulatePlatform()
    await change(hub, { paused: true })
    await hub.register(platform)
    const passTime = async () => {
      pass()
      return JSON.parse((await hub.get('/api/v1/pulls')).text).pulls
    }
    for (let wait = 0; wait < 4; wait += 1) assert.deepEqual(await passTime(), [])
    await change(hub, { paused: false })
    await until(async () => (await passTime())[0] ?? null, 'a pull is started')
  })

  test('raises an alert when it fails, and the hub continues', async () => {
    const { scheduleTime, pass } = createScheduleTime()
    const acquire = async () => {
      throw new Error('No lease today')
    }
    await using hub = await startTestHub(engine, {
      env: { HUB_PULL_SCHEDULE: '* * * * *' },
      scheduleTime,
      wrap: (storage) => ({ ...storage, leases: { ...storage.leases, acquire } }),
    })
    const alert = await until(async () => {
      pass()
      return (await hub.alerts('&state=open'))[0] ?? null
    }, 'the alert is raised')
    assert.equal(alert.kind, 'job_failed')
    assert.match(alert.message, /"scheduled pulls" failed: No lease today/)
  })
})

test('the waits of tests end, as `sleep` does, if the hub has stopped before them', async () => {
  const stopped = AbortSignal.abort()
  assert.equal(await createScheduleTime().scheduleTime.wait(30_000, stopped), false)
  assert.equal(await createPullTimeLimit().waitForLimit(30_000, stopped), false)
})
