/** Server-sent events: access, content, and the end of a stream. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Snapshot } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { type EventStream, openEventStream } from '../helpers/hub/event-stream.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { until } from '../helpers/time/until.ts'

const EVENTS = '/dashboard/events'
const ON: TestHubOptions = { env: { HUB_BROADCAST: 'on' }, withOperator: true }

function openStream(hub: TestHub, { headers }: Session): Promise<EventStream> {
  return openEventStream(`${hub.address}${EVENTS}`, { cookie: headers['cookie'] ?? '' })
}

describeOnEngines('server-sent events', (engine) => {
  test('with broadcasting off, the endpoint returns 404 and the snapshot reports it', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
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

  test('a push notifies every listener, without its data', async () => {
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
    await Promise.all(all.map((one) => one.untilReceived(/^data: .*records/m)))
    for (const { text, close, ended } of all) {
      assert.match(text(), /^retry: \d+\n\n(data: [a-z,]+\n\n)+$/)
      close()
      await ended
    }
    const snapshot = await hub.send({ url: '/dashboard/realtime', headers: session.headers })
    assert.equal(expectBody(snapshot, 200, Snapshot).broadcasting, true)
  })

  test('a stream ends with its session and does not extend it', async () => {
    await using hub = await startTestHub(engine, { ...ON, intervals: { heartbeat: 20 } })
    const session = await hub.signIn()
    const expiry = new Date(Date.now() + 3_600_000).toISOString()
    await hub.sql(`UPDATE operator_sessions SET expires_at = '${expiry}'`)
    const stream = await openStream(hub, session)
    await stream.untilReceived(/^: heartbeat\n\n: heartbeat/m)
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
    await other.untilReceived(/heartbeat\n\n.*heartbeat/s)
    other.close()
    await until(async () => (/"level":50/.test(hub.log()) ? null : true), 'no error is logged')
  })
})
