/** Requests that would need too much memory: bodies that wait for a commit, and responses that clients do not read. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ACCESS } from '../../src/http/access.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { holdWrites } from '../helpers/hub/hold-writes.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectError, type TestResponse } from '../helpers/hub/response.ts'
import { scrape, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { untilTrue } from '../helpers/time/until.ts'

const RECEIVER = '/api/webhook/receive'
/** One platform can have 8 MiB of bodies in progress: eight of these. */
const LARGE = 1_000_000
const ADMITTED = 8

const largeRecord = (reference: string) =>
  newRecord(reference, { data: { scan: 'x'.repeat(LARGE) } })

describeOnEngines('overload', (engine) => {
  test('a platform that floods gets 503 with Retry-After, others continue, and retries succeed', async () => {
    const { wrap, release } = holdWrites()
    await using hub = await startTestHub(engine, { wrap, env: WITH_METRICS })
    const flooding = await hub.registerPushing()
    const other = await hub.registerPushing()
    const references = Array.from({ length: 3 * ADMITTED }, (_, index) => `L-${index}`)
    const responses = new Map<string, TestResponse>()
    const pushing = references.map(async (reference) => {
      responses.set(reference, await hub.push(flooding.hub_api_key, largeRecord(reference)))
    })
    await untilTrue('all others are rejected', () => responses.size === 2 * ADMITTED)
    for (const response of responses.values()) {
      expectError(response, 503, 'busy')
      assert.equal(response.header('retry-after'), '1')
    }
    const rejected = [...responses.keys()]

    const pushed = hub.push(other.hub_api_key, largeRecord('O-1'))
    await untilTrue('the push of the other platform waits', async () => (await bodies(hub)) === 9)
    assert.equal((await hub.send({ url: '/healthz' })).status, 200)
    assert.equal((await hub.setStatus(other.id, 'inactive')).status, 'inactive')
    await hub.setStatus(other.id, 'active')

    release()
    assert.equal((await pushed).status, 201)
    await Promise.all(pushing)
    const statuses = [...responses.values()].map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, ADMITTED)
    const after = await scrape(hub)
    assert.equal(after.get('recordhub_bodies_bytes{sender="platform"}'), 0)
    assert.equal(after.get('recordhub_pushes_total{outcome="busy"}'), 2 * ADMITTED)
    for (const reference of rejected) {
      const retried = await hub.push(flooding.hub_api_key, largeRecord(reference))
      assert.equal(retried.status, 201)
    }
    const rows = await hub.sql('SELECT reference_number FROM records')
    const stored = rows.map((row) => String(row['reference_number']))
    assert.deepEqual(stored.toSorted(), [...references, 'O-1'].toSorted())
  })

  test('a body counts until its commit, even if its platform closes the connection', async () => {
    const { wrap, release } = holdWrites()
    await using hub = await startTestHub(engine, { wrap, env: WITH_METRICS })
    const { hub_api_key } = await hub.registerPushing()
    const outgoing = openPush(hub, hub_api_key)
    outgoing.end(JSON.stringify(largeRecord('C-1')))
    await untilTrue('the push waits', async () => (await queued(hub)) === 1)
    const closed = new Promise((resolve) => outgoing.once('close', resolve))
    outgoing.destroy()
    await closed
    // The hub has noticed the end of the connection when it responds to a later one.
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200)
    assert.equal(await bodies(hub), 1)
    release()
    await untilTrue('the push is stored', async () => (await bodies(hub)) === 0)
  })

  test('a body of unknown length counts while it is received', async () => {
    const { wrap, release } = holdWrites()
    await using hub = await startTestHub(engine, { wrap, env: WITH_METRICS })
    const { hub_api_key } = await hub.registerPushing()
    const parts = JSON.stringify(largeRecord('U-1'))
    const waiting = Array.from({ length: ADMITTED }, () => openPush(hub, hub_api_key))
    for (const outgoing of waiting) outgoing.write(parts)
    const bytes = ADMITTED * Buffer.byteLength(parts)
    await untilTrue('they are received', async () => (await bodyBytes(hub)) === bytes)

    const further = openPush(hub, hub_api_key)
    const rejected = readResponse(further)
    further.write(parts)
    assert.equal((await rejected).status, 503)
    further.destroy()
    release()
    const responses = waiting.map(readResponse)
    for (const outgoing of waiting) outgoing.end()
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [...Array(ADMITTED - 1).fill(200), 201])
    await untilTrue('all bodies are released', async () => (await bodyBytes(hub)) === 0)
  })
})

describeHub(
  'bodies of callers without credentials',
  { withOperator: true, env: WITH_METRICS },
  (hub) => {
    test('the body of a request to an unknown path is not read', async () => {
      const outgoing = request(`${hub.address}/nowhere`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': LARGE },
        agent: false,
      })
      const response = readResponse(outgoing)
      outgoing.on('error', () => undefined).flushHeaders()
      assert.equal((await response).status, 404)
      outgoing.destroy()
    })

    for (const [route, access] of Object.entries(ACCESS)) {
      const [method = '', url = ''] = route.split(' ')
      // Uploads need the setup link, and the other one reads no body.
      const isExempt = ['/setup/backup', '/dashboard/auto-sync'].includes(url)
      if (access !== 'anyone' || method !== 'POST' || isExempt) continue
      test(`${route} reads at most 16 KiB, because anyone can call it`, async () => {
        const body = { text: 'x'.repeat(16 * 1024) }
        const response = await hub.send({ method: 'POST', url, body })
        assert.match(expectError(response, 413, 'body_too_large').message, /16384 bytes/)
      })
    }

    test('clients that hold back the end of large bodies cannot block the sign-in', async () => {
      const { hostname, port } = new URL(hub.address)
      const url = '/api/auth/sign-in/email'
      const head = `POST ${url} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: ${LARGE}\r\n\r\n`
      const responses = Array.from({ length: 8 }, async () => {
        const socket = connect({ host: hostname, port: Number(port) })
        socket.on('error', () => undefined)
        socket.write(head + 'x'.repeat(LARGE - 1))
        const [response] = await once(socket, 'data')
        socket.destroy()
        return String(response)
      })
      for (const response of await Promise.all(responses))
        assert.match(response, /^HTTP\/1\.1 413 /)
      assert.equal((await hub.sendSignIn(EMAIL)).status, 200)
    })

    test('clients that announce large bodies and send little cannot block the sign-in', async () => {
      const { hostname, port } = new URL(hub.address)
      const url = '/api/auth/sign-in/email'
      const announced = 16 * 1024
      const head = `POST ${url} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n{`
      const sockets = Array.from({ length: 40 }, () => {
        const socket = connect({ host: hostname, port: Number(port) })
        socket.on('error', () => undefined)
        socket.write(head)
        return socket
      })
      await untilTrue('the hub receives them', async () => (await bodies(hub, 'anyone')) === 40)
      const headers = { 'content-type': 'application/json', origin: hub.address }
      const body = JSON.stringify({ email: EMAIL, password: PASSWORD })
      const signedIn = await fetch(`${hub.address}${url}`, { method: 'POST', headers, body })
      assert.equal(signedIn.status, 200)
      for (const socket of sockets) socket.destroy()
      await untilTrue('they are released', async () => (await bodies(hub, 'anyone')) === 0)
    })
  },
)

async function readGauge(hub: TestHub, series: string): Promise<number | undefined> {
  return (await scrape(hub)).get(series)
}

const bodies = (hub: TestHub, sender = 'platform') =>
  readGauge(hub, `recordhub_bodies{sender="${sender}"}`)
const bodyBytes = (hub: TestHub) => readGauge(hub, 'recordhub_bodies_bytes{sender="platform"}')
const queued = (hub: TestHub) => readGauge(hub, 'recordhub_push_queue_pushes')

/** Begins a push over a connection of its own, without announcing the length of its body. */
function openPush(hub: TestHub, hubApiKey: string): ClientRequest {
  const headers = pushHeaders(hubApiKey)
  const outgoing = request(`${hub.address}${RECEIVER}`, { method: 'POST', headers, agent: false })
  outgoing.on('error', () => undefined)
  outgoing.flushHeaders()
  return outgoing
}

async function readResponse(outgoing: ClientRequest): Promise<{ status: number; text: string }> {
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  assert.ok(response)
  return { status: response.statusCode ?? 0, text: await text(response) }
}
