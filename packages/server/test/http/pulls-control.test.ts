/** Cancelling a pull, and pulling one platform or some of its modules. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { PullRunningResponse, StartPullResponse } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectBody, expectError, type TestResponse } from '../helpers/hub/response.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

function call(
  hub: TestHub,
  url: string,
  { body, role = 'operator' as const }: { body?: unknown; role?: 'operator' | 'viewer' } = {},
): Promise<TestResponse> {
  return hub.callAs(role, 'POST', url, body)
}

const cancel = (hub: TestHub, id: number, role: 'operator' | 'viewer' = 'operator') =>
  call(hub, `/api/v1/pulls/${id}/cancel`, { role })

describeOnEngines('cancelling a pull', (engine) => {
  test('ends it at once although a platform hangs, retains the records read before, and allows the next pull', async () => {
    await using hub = await startTestHub(engine)
    const modules = [
      simulatedModule('a', { records: [simulatedRecord(1)] }),
      simulatedModule('b', { records: [simulatedRecord(2)] }),
      simulatedModule('c', { records: [simulatedRecord(3)] }),
    ]
    await using platform = await simulatePlatform({ modules })
    await hub.register(platform)
    const pending = Promise.withResolvers<ServerResponse>()
    platform.setResponse('records/b', pending.resolve)
    const { id } = await hub.startPull()
    const unfinished = await pending.promise
    const closed = once(unfinished, 'close')

    const { pull } = expectBody(await cancel(hub, id), 202, StartPullResponse)
    assert.equal(pull.state, 'cancelled')
    assert.ok(pull.finished_at)
    await closed
    platform.setResponse('records/b', null)
    const { pull: next } = await hub.pullAll()
    assert.equal(next.state, 'succeeded')

    const { tasks } = await hub.readPull(id)
    const states = Object.fromEntries(tasks.map((task) => [task.record_type, task.state]))
    assert.deepEqual(states, { a: 'succeeded', b: 'cancelled', c: 'cancelled' })
    assert.equal((await hub.readPull(id)).pull.state, 'cancelled')
    const entries = (await hub.activity()).filter((entry) => entry.kind === 'pull.cancelled')
    assert.match(only(entries).message, new RegExp(`^Pull ${id} was cancelled`))
    assert.ok(only(entries).actor)
  })

  test('discards records that the platform sends afterwards', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    const { platform_name } = platform
    await hub.register(platform)
    platform.modules[0]?.records.push(simulatedRecord(1))
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    expectBody(await cancel(hub, id), 202, StartPullResponse)
    delayed.release()
    await hub.restart()
    assert.deepEqual(await hub.records(platform_name), [])
  })

  test('returns 409 for a finished pull, 404 for an unknown one and 403 to a viewer', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    await hub.register(platform)
    const { pull } = await hub.pullAll()
    expectError(await cancel(hub, pull.id), 409, 'pull_over')
    assert.deepEqual((await hub.readPull(pull.id)).pull, pull)
    expectError(await cancel(hub, pull.id + 1000), 404, 'not_found')
    expectError(await cancel(hub, pull.id, 'viewer'), 403, 'forbidden')
  })
})

describeOnEngines('pulling one platform', (engine) => {
  test('reads only its registered modules, and a second start returns 409', async () => {
    await using hub = await startTestHub(engine)
    await using one = await simulatePlatform({
      modules: [simulatedModule('a'), simulatedModule('b')],
    })
    await using other = await simulatePlatform()
    const { id } = await hub.register(one)
    await hub.register(other)
    const delayed = one.delayNextResponse('records/a')
    const response = await call(hub, `/api/v1/platforms/${id}/pull`)
    const { pull } = expectBody(response, 202, StartPullResponse)
    await delayed.arrived
    const again = await call(hub, `/api/v1/platforms/${id}/pull`)
    assert.equal(expectBody(again, 409, PullRunningResponse).pull.id, pull.id)
    delayed.release()
    const { tasks } = await hub.untilPullEnds(pull.id)
    assert.deepEqual(tasks.map((task) => task.record_type).sort(), ['a', 'b'])
    assert.deepEqual(new Set(tasks.map((task) => task.platform_name)), new Set([one.platform_name]))
  })

  test('reads only the requested modules', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform({
      modules: [simulatedModule('a'), simulatedModule('b')],
    })
    const { id } = await hub.register(platform)
    const response = await call(hub, `/api/v1/platforms/${id}/pull`, {
      body: { record_types: ['b'] },
    })
    const { pull } = expectBody(response, 202, StartPullResponse)
    assert.equal(only((await hub.untilPullEnds(pull.id)).tasks).record_type, 'b')
  })
})
