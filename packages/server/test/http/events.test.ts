/** Server-sent events: access, content, and the end of a stream. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DASHBOARD_EVENTS, type DashboardEventName, Snapshot } from '@recordhub/protocol'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { type EventStream, openEventStream } from '../helpers/hub/event-stream.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectObject } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

const EVENTS = '/dashboard/events'
/** Without a pause between two events of a kind. */
const ON: TestHubOptions = { withOperator: true, intervals: { broadcast: 1 } }

function openStream(hub: TestHub, { headers }: Session): Promise<EventStream> {
  return openEventStream(`${hub.address}${EVENTS}`, { cookie: headers['cookie'] ?? '' })
}

/** The contents of the events of a name, which match their schema. */
function contentsOf<Content extends TSchema>(
  stream: EventStream,
  name: DashboardEventName,
  schema: Content,
): Static<Content>[] {
  const events = [...stream.text().matchAll(/^event: (.*)\ndata: (.*)$/gm)]
  return events
    .filter(([, one]) => one === name)
    .map(([, , data = '']) => Value.Parse(schema, JSON.parse(data)))
}

describeOnEngines('server-sent events', (engine) => {
  test('with broadcasting off, the endpoint returns 404 and the snapshot reports it', async () => {
    const env = { HUB_BROADCAST: 'off' }
    await using hub = await startTestHub(engine, { env, withOperator: true })
    const { headers } = await hub.signIn()
    const { message } = expectError(await hub.send({ url: EVENTS, headers }), 404, 'not_found')
    assert.match(message, /HUB_BROADCAST/)
    assert.equal((await hub.snapshot()).broadcasting, false)
  })

  test('a request without a session, or with an API token, returns 401', async () => {
    await using hub = await startTestHub(engine, ON)
    expectError(await hub.send({ url: EVENTS }), 401, 'not_signed_in')
    const headers = { authorization: hub.authorization('admin') }
    expectError(await hub.send({ url: EVENTS, headers }), 401, 'not_signed_in')
  })

  test('a push notifies every listener, without the content of the record', async () => {
    await using hub = await startTestHub(engine, ON)
    const { post } = await hub.registerPushing()
    const session = await hub.signIn()
    const all = await Promise.all(Array.from({ length: 20 }, () => openStream(hub, session)))
    for (const { headers } of all) {
      assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('content-encoding'), null)
    }
    await post(newRecord('SECRET-1'))
    await Promise.all(all.map((one) => one.untilReceived(/^event: changed\ndata: .*records/m)))
    for (const { text, close, ended } of all) {
      assert.match(text(), /^retry: \d+\n\n(event: [a-z.]+\ndata: .*\n\n)+$/)
      assert.ok(!text().includes('SECRET-1'), text())
      close()
      await ended
    }
    const snapshot = await hub.send({ url: '/dashboard/realtime', headers: session.headers })
    assert.equal(expectBody(snapshot, 200, Snapshot).broadcasting, true)
  })

  test('the events of a pull and of the schedule have their content, as in the snapshot and the API', async () => {
    await using hub = await startTestHub(engine, ON)
    await using platform = await simulatePlatform({ modules: [simulatedModule('cases')] })
    platform.modules[0]?.records.push(simulatedRecord(1))
    await hub.register(platform)
    const session = await hub.signIn()
    const stream = await openStream(hub, session)
    await stream.untilReceived(/event: heartbeat/)
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    await stream.untilReceived(/event: pull.progress\ndata: .*"state":"running"/)
    const second = await openStream(hub, session)
    await second.untilReceived(/event: heartbeat/)
    delayed.release()
    await hub.untilPullEnds(id)
    await stream.untilReceived(/event: pull.ended/)
    const started = contentsOf(second, 'pull.progress', DASHBOARD_EVENTS['pull.progress'])[0]
    assert.deepEqual([started?.pull.running, started?.pull.pull?.id], [true, id])
    const ended = contentsOf(stream, 'pull.ended', DASHBOARD_EVENTS['pull.ended'])
    assert.deepEqual(ended, [{ pull: (await hub.snapshot()).pull }])

    const schedule = { url: '/api/v1/schedule', headers: session.headers }
    await hub.send({ ...schedule, method: 'PATCH', body: { paused: true } })
    await stream.untilReceived(/event: schedule.changed/)
    const { success: _, ...expected } = expectObject(await hub.send(schedule), 200)
    assert.deepEqual(contentsOf(stream, 'schedule.changed', DASHBOARD_EVENTS['schedule.changed']), [
      expected,
    ])
  })

  test('a stream ends with its session and does not extend it', async () => {
    await using hub = await startTestHub(engine, { ...ON, intervals: { heartbeat: 20 } })
    const session = await hub.signIn()
    const expiry = new Date(Date.now() + 3_600_000).toISOString()
    await hub.sql(`UPDATE operator_sessions SET expires_at = '${expiry}'`)
    const stream = await openStream(hub, session)
    await stream.untilReceived(/event: heartbeat.*event: heartbeat/s)
    const stored = JSON.stringify(await hub.sql('SELECT expires_at FROM operator_sessions'))
    assert.ok(stored.includes(expiry), stored)
    await hub.sql('DELETE FROM operator_sessions')
    await stream.ended
  })

  test('stopping the hub ends open streams immediately', async () => {
    await using hub = await startTestHub(engine, ON)
    const stream = await openStream(hub, await hub.signIn())
    await stream.untilReceived(/retry/)
    await Promise.all([hub.stop(), stream.ended])
  })

  test('a disconnected listener causes no error', async () => {
    await using hub = await startTestHub(engine, { ...ON, intervals: { heartbeat: 5 } })
    const { post } = await hub.registerPushing()
    const stream = await openStream(hub, await hub.signIn())
    stream.close()
    await stream.ended
    const other = await openStream(hub, await hub.signIn())
    await post(newRecord('N-1'))
    await other.untilReceived(/heartbeat.*heartbeat/s)
    other.close()
    await until(async () => (/"level":50/.test(hub.log()) ? null : true), 'no error is logged')
  })
})
