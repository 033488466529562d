/** Starting pulls, one at a time, and the end of pulls when the hub stops (specification 3, 4.1, 8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Pull,
  PullRunningResponse,
  PullTask,
  type PullTrigger,
  StartPullResponse,
} from '@recordhub/protocol'
import Type from 'typebox'
import { storageUnavailable } from '../../src/errors.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import {
  createPullTimeLimit,
  createScheduleTime,
  sendOverSocket,
  startTestHub,
  type TestHub,
} from '../helpers/hub/hub.ts'
import {
  expectBody,
  expectError,
  expectMembers,
  expectObject,
  type TestResponse,
} from '../helpers/hub/response.ts'
import {
  respond,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const PULL_ALL = '/dashboard/pull-all-existing-records'
const COUNTS = [
  ...['received', 'created', 'updated', 'unchanged', 'stale', 'held', 'rejected', 'accepted'],
  ...['missing', 'not_listed'],
]
const PULL_MEMBERS = [
  ...['id', 'trigger', 'state', 'requested_at', 'started_at', 'finished_at'],
  ...['started_by', 'progress', 'counts', 'begun', 'failure'],
]
const PROGRESS = [
  ...['tasks_total', 'tasks_done', 'records_total', 'records_received', 'percent'],
  ...['records_per_second', 'seconds_left', 'task_states', 'records_expected', 'records_done'],
  'waiting',
]
const TASK_MEMBERS = [
  ...['platform_name', 'platform_title', 'record_type', 'module_name'],
  ...['state', 'total', 'expected', 'error', 'warnings'],
  ...['started_at', 'finished_at', 'waiting_since', 'mode', 'full_because', 'digest', ...COUNTS],
]

/** Bodies and content types that the button's route must accept. */
const BODIES: readonly (readonly [string, string | undefined, string | undefined])[] = [
  ['nothing', undefined, undefined],
  ['a form', 'application/x-www-form-urlencoded', '_token=x&all=1'],
  ['an empty form', 'application/x-www-form-urlencoded', ''],
  ['a multipart form', 'multipart/form-data; boundary=b', '--b\r\n\r\n--b--\r\n'],
  ['JSON', 'application/json', '{}'],
  ['empty JSON', 'application/json', ''],
  ['broken JSON', 'application/json; charset=utf-8', '{"a":'],
  ['text', 'text/plain;charset=UTF-8', 'hello'],
  [
    'a body over the limit of the receiver',
    'application/octet-stream',
    'x'.repeat(2 * 1024 * 1024),
  ],
  ['an invalid content type', 'nonsense', 'x'],
  ['an empty content type', '', 'x'],
]

async function listPulls(hub: TestHub): Promise<Pull[]> {
  return (await hub.call('GET /api/v1/pulls')).pulls
}

/** The pull in the response to a start: a new one or the one that is already running. */
function pullStartedBy(response: TestResponse): Pull {
  return expectBody(response, response.status, Type.Object({ pull: Pull })).pull
}

describeOnEngines('starting pulls', (engine) => {
  test('the button returns 202 with a queued pull, which runs to its end', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await using platform = await simulatePlatform()
    platform.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2))
    await hub.register(platform)
    const { headers } = await hub.signIn()
    const response = await hub.send({ method: 'POST', url: PULL_ALL, headers })
    expectMembers(expectObject(response, 202), ['success', 'message', 'pull'])
    const { success, pull } = expectBody(response, 202, StartPullResponse)
    assert.equal(success, true)
    expectMembers(pull, PULL_MEMBERS)
    expectMembers(pull.progress, PROGRESS)
    expectMembers(pull.counts, COUNTS)
    assert.equal(pull.trigger, 'operator')
    assert.ok(['queued', 'running'].includes(pull.state))
    const ended = await hub.untilPullEnds(pull.id)
    expectMembers(expectObject(await hub.get(`/api/v1/pulls/${pull.id}`), 200), [
      ...['success', 'pull', 'tasks', 'next_cursor'],
    ])
    const task = only(ended.tasks)
    expectMembers(task, TASK_MEMBERS)
    assert.deepEqual([ended.pull.state, task.state, task.error], ['succeeded', 'succeeded', null])
    assert.deepEqual([task.total, task.received, task.created], [2, 2, 2])
    const { records_per_second: _, ...progress } = ended.pull.progress
    assert.deepEqual(progress, {
      tasks_total: 1,
      tasks_done: 1,
      task_states: { succeeded: 1 },
      records_total: 2,
      records_received: 2,
      records_expected: 2,
      records_done: 2,
      percent: 100,
      seconds_left: null,
      waiting: null,
    })
    assert.deepEqual(await listPulls(hub), [ended.pull])
  })

  test('the first read of a module updates the statistics of the planner, and an error of that changes nothing', async () => {
    let updates = 0
    const updatePlannerStatistics = async () => {
      updates += 1
      throw storageUnavailable(null)
    }
    const wrap = (storage: Storage): Storage => ({ ...storage, updatePlannerStatistics })
    await using hub = await startTestHub(engine, { wrap })
    await using platform = await simulatePlatform()
    await hub.register(platform)
    for (const _ of [1, 2]) assert.equal((await hub.pullAll()).pull.state, 'succeeded')
    assert.equal(updates, 1)
  })

  test('a start during a pull returns 409 with the running pull, by button and by API', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await using platform = await simulatePlatform()
    await hub.register(platform)
    const { headers } = await hub.signIn()
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    for (const [url, sent] of [
      [PULL_ALL, headers],
      ['/api/v1/pulls', { authorization: hub.authorization('operator') }],
    ] as const) {
      const response = await hub.send({ method: 'POST', url, headers: sent })
      const { code, pull } = expectBody(response, 409, PullRunningResponse)
      assert.deepEqual([code, pull.id, pull.state], ['pull_already_running', id, 'running'])
    }
    delayed.release()
    await hub.untilPullEnds(id)
    assert.equal(await hub.countRows('pulls'), 1)
    assert.equal((await hub.pullAll()).pull.state, 'succeeded')
  })
})

describeHub('pulls by outcome', { engines: 'both' }, (hub) => {
  test('the pull in which rejections began is listed, and not those that repeat them', async () => {
    await using platform = await hub.createPlatform({})
    platform.modules[0]?.records.push(simulatedRecord(1), { ...simulatedRecord(2), data: 'text' })
    const { pull } = await hub.pullAll()
    assert.deepEqual(pull.begun, { rejected: true, not_listed: false })
    const { pull: next } = await hub.pullAll()
    assert.deepEqual([next.counts.rejected, next.begun.rejected], [1, false])
    for (const [outcome, expected] of [
      ['new_rejections', [pull.id]],
      ['newly_not_listed', []],
      ['reverted', []],
    ] as const) {
      const { pulls } = await hub.call('GET /api/v1/pulls', { query: { outcome } })
      assert.deepEqual(
        pulls.map(({ id }) => id),
        expected,
        outcome,
      )
    }
    expectError(await hub.get('/api/v1/pulls?outcome=x'), 400, 'invalid_request')
  })
})

describeOnEngines('requests about pulls', (engine) => {
  test('a pull reports the received records while the rest of the response is still arriving', async () => {
    await using hub = await startTestHub(engine)
    const modules = [simulatedModule('cases'), simulatedModule('rooms')]
    await using platform = await simulatePlatform({ modules })
    platform.modules[1]?.records.push(simulatedRecord(3))
    await hub.register(platform)
    const body = { success: true, total: 3, records: [simulatedRecord(1), simulatedRecord(2)] }
    platform.setResponse('records/cases', respond.trickle(JSON.stringify(body).slice(0, -2), 100))
    const { id } = await hub.startPull()
    const Running = Type.Object({ pull: Pull, tasks: Type.Array(PullTask) })
    // The hub reads the pull before its tasks, so progress may be stored in between.
    const { tasks } = await until(async () => {
      const response = expectBody(await hub.get(`/api/v1/pulls/${id}`), 200, Running)
      return response.pull.progress.records_received === 2 ? response : null
    }, 'the pull has received 2 records')
    const [task] = tasks
    assert.deepEqual([task?.state, task?.expected, task?.received], ['running', 3, 2])
    await hub.callAs('operator', 'POST', `/api/v1/pulls/${id}/cancel`)
    const ended = await hub.untilPullEnds(id)
    assert.deepEqual(ended.pull.progress.task_states, { cancelled: 2 })
  })

  test('the button accepts any body and content type, or none', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const { headers } = await hub.signIn()
    const rejected: string[] = []
    for (const [what, type, body] of BODIES) {
      const request = {
        method: 'POST' as const,
        url: PULL_ALL,
        headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body }),
      }
      for (const response of [await hub.send(request), await sendOverSocket(hub, request)]) {
        if (response.status === 409 || response.status === 202) {
          await hub.untilPullEnds(pullStartedBy(response).id)
        } else rejected.push(`${what}: ${response.status} ${response.text}`)
      }
    }
    assert.deepEqual(rejected, [])
  })

  test('a pull by the API needs no body, also with the type of JSON', async () => {
    await using hub = await startTestHub(engine)
    const headers = { authorization: hub.authorization('operator') }
    const json = { ...headers, 'content-type': 'application/json' }
    for (const sent of [{ headers }, { headers: json, body: '' }, { headers: json, body: '{}' }]) {
      const response = await hub.send({ method: 'POST', url: '/api/v1/pulls', ...sent })
      await hub.untilPullEnds(expectBody(response, 202, StartPullResponse).pull.id)
    }
    const wrong = { headers: json, body: '{"mode":"some"}' }
    const response = await hub.send({ method: 'POST', url: '/api/v1/pulls', ...wrong })
    expectError(response, 400, 'invalid_request')
  })

  test('an unknown pull returns 404, an invalid id or cursor 400', async () => {
    await using hub = await startTestHub(engine)
    expectError(await hub.get('/api/v1/pulls/99'), 404, 'not_found')
    const urls = ['pulls/abc', 'pulls/0', 'pulls?cursor=x', 'pulls?limit=501', 'pulls?a=1']
    urls.push('pulls?trigger=x', 'pulls?since=x', 'pulls?until=2026')
    urls.push(`pulls?platform=${'x'.repeat(16_385)}`)
    for (const url of urls) {
      expectError(await hub.get(`/api/v1/${url}`), 400, 'invalid_request')
    }
  })

  test('pulls are listed newest first', async () => {
    await using hub = await startTestHub(engine)
    for (let count = 0; count < 3; count++) await hub.pullAll()
    const ids = (await listPulls(hub)).map((pull) => pull.id)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => b - a),
    )
    assert.equal(ids.length, 3)
    const older = await hub.call('GET /api/v1/pulls', {
      query: { cursor: Number(ids[0]), limit: 1 },
    })
    assert.deepEqual(
      [older.pulls.map(({ id }) => id), older.next_cursor],
      [[ids[1]], String(ids[1])],
    )
    const byTrigger = (trigger: PullTrigger) =>
      hub.call('GET /api/v1/pulls', { query: { trigger } })
    assert.equal((await byTrigger('schedule')).pulls.length, 0)
    const matching = (await byTrigger('api')).pulls.concat((await byTrigger('operator')).pulls)
    assert.equal(matching.length, 3)
    const query = { outcome: 'failed' } as const
    assert.deepEqual((await hub.call('GET /api/v1/pulls', { query })).pulls, [])
    const since = matching[0]?.requested_at ?? ''
    const recent = await hub.call('GET /api/v1/pulls', { query: { since } })
    assert.ok(recent.pulls.length > 0)
  })
})

describeOnEngines('the end of a pull', (engine) => {
  test('stopping the hub interrupts a running pull, and the restarted hub can pull at once', async () => {
    await using hub = await startTestHub(engine)
    const modules = ['a', 'b'].map((type) =>
      simulatedModule(type, { records: [simulatedRecord(1)] }),
    )
    await using platform = await simulatePlatform({ modules })
    await hub.register(platform)
    const delayed = [
      platform.delayNextResponse('records/a'),
      platform.delayNextResponse('records/b'),
    ]
    const { id } = await hub.startPull()
    await Promise.race(delayed.map((one) => one.arrived))
    await hub.restart()
    const { pull, tasks } = await hub.readPull(id)
    assert.equal(pull.state, 'interrupted')
    assert.ok(pull.finished_at)
    assert.deepEqual(
      tasks.map((task) => task.state),
      ['interrupted', 'interrupted'],
    )
    for (const one of delayed) one.release()
    const again = await hub.pullAll()
    assert.equal(again.pull.state, 'succeeded')
    assert.equal((await hub.records(platform.platform_name)).length, 2)
    assert.equal((await hub.readPull(id)).pull.state, 'interrupted')
  })

  test('a pull over its time limit ends as timed_out and retains the records read before', async () => {
    const { reach, waitForLimit } = createPullTimeLimit()
    await using hub = await startTestHub(engine, { waitForLimit })
    const modules = ['a', 'b'].map((type) =>
      simulatedModule(type, { records: [simulatedRecord(1)] }),
    )
    await using platform = await simulatePlatform({ modules })
    await hub.register(platform)
    const delayed = platform.delayNextResponse('records/b')
    const { id } = await hub.startPull()
    await delayed.arrived
    reach()
    const { pull, tasks } = await hub.untilPullEnds(id)
    assert.equal(pull.state, 'timed_out')
    const states = Object.fromEntries(tasks.map((task) => [task.record_type, task.state]))
    assert.deepEqual(states, { a: 'succeeded', b: 'timed_out' })
    assert.equal((await hub.records(platform.platform_name)).length, 1)
  })

  test('HUB_PULL_TIMEOUT_SECONDS ends a pull that waits for a response', async () => {
    const env = { HUB_PULL_TIMEOUT_SECONDS: '1' }
    await using hub = await startTestHub(engine, { env })
    await using platform = await simulatePlatform()
    await hub.register(platform)
    platform.setResponse('records/cases', () => undefined)
    assert.equal((await hub.pullAll()).pull.state, 'timed_out')
  })

  test('the schedule starts pulls, never two at a time', async () => {
    const { scheduleTime, pass } = createScheduleTime()
    const env = { HUB_PULL_SCHEDULE: '* * * * *' }
    await using hub = await startTestHub(engine, { env, scheduleTime })
    await using platform = await simulatePlatform()
    const delayed = platform.delayNextResponse('records/cases')
    await hub.register(platform)
    const passTime = async () => {
      pass()
      return listPulls(hub)
    }
    await until(async () => ((await passTime()).length > 0 ? true : null), 'a pull is started')
    await delayed.arrived
    for (let wait = 0; wait < 4; wait += 1) await passTime()
    const first = only(await listPulls(hub))
    assert.deepEqual([first.trigger, first.state], ['schedule', 'running'])
    delayed.release()
    const both = await until(async () => {
      const pulls = await passTime()
      return pulls.length > 1 ? pulls : null
    }, 'a second pull is started')
    assert.equal(both.at(-1)?.state, 'succeeded')
  })

  test('a manual pull without an active platform succeeds with no tasks', async () => {
    await using hub = await startTestHub(engine)
    const { pull, tasks } = await hub.pullAll()
    assert.deepEqual([pull.state, tasks], ['succeeded', []])
  })
})
