/** The statistics over time that the dashboard's overview shows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentStatistics, Statistics } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'

const HOUR_MS = 3_600_000

/** Two accepted pushes, a rejected one, and a pull of two new records. */
async function pushAndPull(hub: TestHub, platform: SimulatedPlatform): Promise<void> {
  platform.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2))
  const { post, patch } = await hub.register(platform)
  await post(newRecord('N-1'))
  await patch(newRecord('N-1', { data: { status: 'closed' } }))
  await post(newRecord('N-1', { data: 1 }))
  await hub.pullAll()
}

describeOnEngines('statistics', (engine) => {
  test('every hour is listed with its counts, the current hour last', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    await pushAndPull(hub, platform)
    const read = async (url: string) => expectBody(await hub.get(url), 200, Statistics).hours
    const hours = await read('/api/v1/statistics')
    assert.equal(hours.length, 24)
    const times = hours.map(({ at }) => Date.parse(at))
    for (const [index, at] of times.entries()) {
      assert.equal(at, (times[0] ?? 0) + index * HOUR_MS)
    }
    const sum = (name: Exclude<keyof (typeof hours)[number], 'at'>) =>
      hours.reduce((total, hour) => total + hour[name], 0)
    assert.deepEqual(
      [sum('received_post'), sum('received_patch'), sum('received_pull'), sum('rejected')],
      [1, 1, 2, 1],
    )
    assert.deepEqual([sum('created'), sum('updated')], [3, 1])
    assert.deepEqual([sum('pulls'), sum('pulls_failed')], [1, 0])
    assert.deepEqual([sum('platforms_added'), sum('modules_added')], [1, 1])
    assert.equal((await read('/api/v1/statistics?hours=2')).length, 2)
  })

  test('the last hour is listed by minute, the current minute last', async () => {
    const now = new Date('2026-03-10T01:30:20.000Z')
    await using hub = await startTestHub(engine, { clock: { now: () => now } })
    await using platform = await simulatePlatform()
    await pushAndPull(hub, platform)
    const response = await hub.get('/api/v1/statistics/minutes')
    const { minutes } = expectBody(response, 200, RecentStatistics)
    assert.equal(minutes.length, 60)
    assert.equal(minutes[0]?.at, '2026-03-10T00:31:00.000Z')
    const at = '2026-03-10T01:30:00.000Z'
    assert.deepEqual(minutes.at(-1), {
      ...{ at, pushes: 2, rejected: 1, pulled: 2 },
      ...{ pulls: 1, pulls_failed: 0 },
    })
  })

  test('the tasks of a pull can be limited in number and filtered by state', async () => {
    await using hub = await startTestHub(engine)
    await using good = await simulatePlatform()
    await using bad = await simulatePlatform()
    bad.setResponse('records/cases', respond.status(500))
    await hub.register(good)
    await hub.register(bad)
    const { pull } = await hub.pullAll()
    const read = async (query: string) => {
      const text = (await hub.get(`/api/v1/pulls/${pull.id}?${query}`)).text
      const { tasks, next_cursor } = JSON.parse(text)
      return [tasks.length, tasks[0]?.platform_name, next_cursor !== null]
    }
    const first = await read('limit=1')
    assert.deepEqual([first[0], first[2]], [1, true])
    assert.deepEqual(await read('state=failed'), [1, bad.platform_name, false])
    assert.deepEqual(await read('state=skipped'), [0, undefined, false])
  })
})
