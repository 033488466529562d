/** Alerts for programs: the Atom feed, and events by long-polling and server-sent events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlertEvent, AlertEventsResponse } from '@recordhub/protocol'
import { Value } from 'typebox/value'
import { createApiToken } from '../../src/features/operators/manage-operators.ts'
import { systemClock } from '../../src/lib/time/clock.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { type EventStream, openEventStream } from '../helpers/hub/event-stream.ts'
import { type HubRequest, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectBody, expectError, expectObject } from '../helpers/hub/response.ts'
import { until } from '../helpers/time/until.ts'

const FEED = '/api/v1/alerts/feed'
const EVENTS = '/api/v1/alerts/events'
const FAST = { intervals: { alertEvents: 1, heartbeat: 20 } }

describeHub('tokens that read alerts', (hub) => {
  test('a feed reader authenticates with a token as the password of HTTP Basic, and only here', async () => {
    const challenged = await hub.send({ url: FEED })
    expectError(challenged, 401, 'not_signed_in')
    assert.equal(challenged.header('www-authenticate'), 'Basic realm="recordhub", charset="UTF-8"')
    const token = await createToken(hub, 'alerts')
    const headers = basic('reader', token)
    const read = await hub.send({ url: FEED, headers })
    assert.equal(read.status, 200)
    assert.equal(read.header('content-type'), 'application/atom+xml; charset=utf-8')
    assert.match(read.text, /^<\?xml/)
    // Both other ways to send the token, and invalid ones.
    assert.equal((await hub.send({ url: FEED, headers: bearer(token) })).status, 200)
    for (const url of ['/api/v1/alerts', EVENTS]) {
      expectError(await hub.send({ url, headers }), 401, 'not_signed_in')
    }
    const invalid = [basic(token, ''), basic('reader', `${token}x`), { authorization: 'Basic !' }]
    for (const one of invalid) {
      expectError(await hub.send({ url: FEED, headers: one }), 401, 'not_signed_in')
    }
    for (const url of [`${FEED}?token=${token}`, `${FEED}?access_token=${token}`]) {
      assert.equal((await hub.send({ url })).status, 401)
    }
  })

  test('a token with the scope alerts reads alerts and nothing else', async () => {
    const headers = bearer(await createToken(hub, 'alerts'))
    for (const url of ['/api/v1/alerts', EVENTS, FEED]) {
      assert.equal((await hub.send({ url, headers })).status, 200)
    }
    const forbidden: HubRequest[] = [
      { url: '/api/v1/records' },
      { url: '/api/v1/session' },
      { url: '/api/v1/tokens' },
      { method: 'POST', url: '/api/v1/tokens', body: { name: 'x', role: 'viewer' } },
    ]
    for (const request of forbidden) {
      expectError(await hub.send({ ...request, headers }), 403, 'out_of_scope')
    }
    const acknowledge: HubRequest = { method: 'POST', url: '/api/v1/alerts/1/acknowledge' }
    expectError(await hub.send({ ...acknowledge, headers }), 403, 'forbidden')
  })
})

describeOnEngines('the Atom feed of alerts', (engine) => {
  test('the ETag changes with the alerts, and an unchanged feed returns 304', async () => {
    await using hub = await startTestHub(engine)
    const first = await hub.get(FEED)
    const conditional = async (etag: string) =>
      (await hub.send({ url: FEED, headers: { ...admin(hub), 'if-none-match': etag } })).status
    assert.equal(await conditional(first.header('etag')), 304)
    assert.equal(await conditional(`W/${first.header('etag')}, "other"`), 304)
    await raise(hub, 'one')
    assert.equal(await conditional(first.header('etag')), 200)
    const [feed, entry] = idsIn((await hub.get(FEED)).text)
    await acknowledge(hub)
    await resolveAll(hub)
    await hub.restart()
    const { text } = await hub.get(FEED)
    const ids = idsIn(text)
    assert.deepEqual([ids.length, ids[0], ids[3]], [4, feed, entry])
    assert.deepEqual(
      [...text.matchAll(/<category term="(raised|acknowledged|resolved)"\/>/g)].map(([, t]) => t),
      ['resolved', 'acknowledged', 'raised'],
    )
  })
})

describeOnEngines('the events of alerts', (engine) => {
  test('pages continue at their cursor, and a cursor of another database is rejected', async () => {
    await using hub = await startTestHub(engine)
    for (const subject of ['one', 'two', 'three']) await raise(hub, subject)
    const first = await readEvents(hub, '?limit=2')
    assert.deepEqual([first.events.length, first.has_more], [2, true])
    const second = await readEvents(hub, `?limit=2&since=${first.next_cursor}`)
    assert.deepEqual([second.events.length, second.has_more], [1, false])
    assert.deepEqual((await readEvents(hub, '?since=latest')).events, [])
    expectError(await hub.get(`${EVENTS}?since=${second.next_cursor}9`), 409, 'cursor_beyond')
    for (const query of ['?since=x', '?since=-1', '?wait_seconds=61', '?limit=0', '?token=x']) {
      expectError(await hub.get(`${EVENTS}${query}`), 400, 'invalid_request')
    }
  })

  test('a long poll responds when an alert changes, when its time is over, when its token was revoked, and when the hub stops', async () => {
    let polls = 0
    await using hub = await startTestHub(engine, {
      intervals: { ...FAST.intervals, heartbeat: 0 },
      wrap: ({ alertEvents, ...storage }) => ({
        ...storage,
        alertEvents: {
          ...alertEvents,
          readLastAlertEventId() {
            polls += 1
            return alertEvents.readLastAlertEventId()
          },
        },
      }),
    })
    const { next_cursor } = await readEvents(hub, '?since=latest')
    const waiting = readEvents(hub, `?since=${next_cursor}&wait_seconds=60`)
    await raise(hub, 'one')
    const { events } = await waiting
    assert.deepEqual(
      events.map(({ change, alert }) => [change, alert.message]),
      [['raised', 'About one']],
    )
    const expired = await readEvents(hub, '?since=latest&wait_seconds=1')
    assert.deepEqual([expired.events, expired.has_more], [[], false])
    const beforeRevocation = polls
    const headers = bearer(await createToken(hub, 'alerts'))
    const revoked = hub.send({ url: `${EVENTS}?since=latest&wait_seconds=60`, headers })
    await until(() => (polls > beforeRevocation + 2 ? true : null), 'the request waits')
    await hub.sql(
      "UPDATE api_tokens SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE scope = 'alerts'",
    )
    await raise(hub, 'two')
    expectError(await revoked, 401, 'not_signed_in')
    const pollsBefore = polls
    const interrupted = readEvents(hub, '?since=latest&wait_seconds=60')
    await until(() => (polls > pollsBefore + 2 ? true : null), 'the request waits')
    await hub.stop()
    assert.deepEqual((await interrupted).events, [])
  })

  test('a consumer that resumes at Last-Event-ID misses nothing across a disconnect and a restart', async () => {
    await using hub = await startTestHub(engine, FAST)
    const token = await createToken(hub, 'alerts')
    await raise(hub, 'old')
    const latest = await openStream(hub, token, { since: 'latest' })
    // A stream without an event sends its position, so that it can be resumed too.
    await latest.untilReceived(/^id: \d+$/m)
    latest.close()
    await latest.ended
    await raise(hub, 'while disconnected')
    const second = await openStream(hub, token, { lastEventId: lastIdOf(latest) })
    await second.untilReceived(/while disconnected/)
    await raise(hub, 'while connected')
    await second.untilReceived(/while connected/)
    await Promise.all([hub.stop(), second.ended])
    await hub.restart(FAST)
    await resolveAll(hub)
    const third = await openStream(hub, token, { lastEventId: lastIdOf(second) })
    await third.untilReceived(/(?:data: \{[^\n]*"resolved"[^\n]*\n.*){3}/s)
    third.close()
    await third.ended
    const received = [latest, second, third].flatMap(eventsOf)
    assert.deepEqual(
      received.map(({ change, alert }) => `${change} ${alert.message}`),
      [
        'raised About while disconnected',
        'raised About while connected',
        ...['old', 'while disconnected', 'while connected'].map((one) => `resolved About ${one}`),
      ],
    )
    assert.doesNotMatch(hub.log(), /"level":50/)
  })

  test('a stream sends heartbeats, and ends when its token is revoked', async () => {
    await using hub = await startTestHub(engine, FAST)
    const stream = await openStream(hub, await createToken(hub, 'alerts'))
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(stream.headers.get('content-encoding'), null)
    await stream.untilReceived(/^: heartbeat\n\n: heartbeat/m)
    await hub.sql("UPDATE api_tokens SET revoked_at = '2026-01-01T00:00:00.000Z'")
    await stream.ended
  })
})

describeHub('open requests for events', { ...FAST, withOperator: true }, (hub) => {
  test('an operator follows alerts with a session, which the stream does not extend', async () => {
    const { headers } = await hub.signIn()
    const url = `${hub.address}${EVENTS}`
    const stream = await openEventStream(url, { cookie: headers['cookie'] ?? '' })
    await stream.untilReceived(/heartbeat/)
    await hub.sql('DELETE FROM operator_sessions')
    await stream.ended
  })

  test('a caller has at most eight open requests, and a closed one frees its place', async () => {
    const token = await createToken(hub, 'alerts')
    const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(hub, token)))
    const more = await fetch(`${hub.address}${EVENTS}`, { headers: bearer(token) })
    assert.equal(more.status, 429)
    assert.ok(more.headers.get('retry-after'))
    const [first, ...others] = streams
    first?.close()
    await first?.ended
    const replacement = await openWhenFree(hub, token)
    for (const stream of [...others, replacement]) {
      stream.close()
      await stream.ended
    }
  })

  test('the requests of all tokens of an operator that wait count together', async () => {
    const session = await hub.signIn()
    const tokens: string[] = []
    for (const name of ['one', 'other']) {
      const body = { name, role: 'viewer', scope: 'alerts', password: PASSWORD }
      const created = await hub.callAs(session, 'POST', '/api/v1/tokens', body)
      tokens.push(String(expectObject(created, 201)['token']))
    }
    const [one = '', other = ''] = tokens
    const streams: EventStream[] = []
    for (const token of [one, one, one, one, other, other, other, other]) {
      streams.push(await openStream(hub, token))
    }
    for (const token of [one, other]) {
      const rejected = await fetch(`${hub.address}${EVENTS}`, { headers: bearer(token) })
      assert.equal(rejected.status, 429)
      await rejected.body?.cancel()
    }
    streams.push(await openStream(hub, await createToken(hub, 'alerts')))
    for (const stream of streams) {
      stream.close()
      await stream.ended
    }
  })
})

/** The hub notices a closed connection a moment after the client. */
async function openWhenFree(hub: TestHub, token: string): Promise<EventStream> {
  for (;;) {
    const response = await fetch(`${hub.address}${EVENTS}`, { headers: bearer(token) })
    await response.body?.cancel()
    if (response.status === 200) return openStream(hub, token)
  }
}

function openStream(
  hub: TestHub,
  token: string,
  { since, lastEventId }: { since?: string; lastEventId?: string } = {},
): Promise<EventStream> {
  return openEventStream(`${hub.address}${EVENTS}${since ? `?since=${since}` : ''}`, {
    ...bearer(token),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  })
}

function lastIdOf(stream: EventStream): string {
  return [...stream.text().matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ''
}

function eventsOf(stream: EventStream): AlertEvent[] {
  return [...stream.text().matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    Value.Parse(AlertEvent, JSON.parse(data)),
  )
}

async function readEvents(hub: TestHub, query: string) {
  return expectBody(await hub.get(`${EVENTS}${query}`), 200, AlertEventsResponse)
}

function createToken({ storage }: TestHub, scope: 'alerts'): Promise<string> {
  const request = {
    name: 'reader',
    role: 'viewer',
    scope,
    expiresInDays: 1,
    actor: 'test',
  } as const
  return createApiToken({ operators: storage.operators, clock: systemClock }, request)
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function basic(user: string, password: string) {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

function admin(hub: TestHub) {
  return { authorization: hub.authorization('admin') }
}

function idsIn(feed: string): string[] {
  return [...feed.matchAll(/<id>(.*)<\/id>/g)].map(([, id = '']) => id)
}

async function raise({ storage }: TestHub, subject: string): Promise<void> {
  const alert = {
    kind: 'module_failing',
    subject,
    platform: null,
    message: `About ${subject}`,
  } as const
  await storage.alerts.applyAlertChanges({ raise: [alert], resolve: [], reword: [] })
}

async function acknowledge(hub: TestHub): Promise<void> {
  for (const { alert_id } of await hub.storage.alerts.listOpenAlerts()) {
    const url = `/api/v1/alerts/${alert_id}/acknowledge`
    assert.equal((await hub.send({ method: 'POST', url, headers: admin(hub) })).status, 200)
  }
}

async function resolveAll({ storage }: TestHub): Promise<void> {
  const resolve = await storage.alerts.listOpenAlerts()
  await storage.alerts.applyAlertChanges({ raise: [], resolve, reword: [] })
}
