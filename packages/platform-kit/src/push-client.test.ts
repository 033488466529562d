import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFileOutbox } from './file-outbox.ts'
import { createPushClient, type PushClientOptions } from './push-client.ts'

const KEY = 'rhk_any'
/** Longer than any test runs; tests of timeouts set their own. */
const LONG_TIMEOUTS = { timeoutMs: 300_000, deliveryTimeoutMs: 300_000 }
const NAMES = { record_type: 'employee', module_name: 'Employees', full_name: 'Ann' }
const record = (reference_number: string, data: object = {}) => ({
  ...NAMES,
  reference_number,
  data,
})

type Body = { reference_number: string; data: Record<string, unknown>; occurred_at: string }
type Received = { method: string; headers: IncomingHttpHeaders; body: Body; at: number }
type Behaviour = (response: ServerResponse, received: Received) => void

const respond =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body))
const store = respond(200, { success: true, record_id: 7, outcome: 'created', message: '' })
const failure = (status: number, headers?: Record<string, string>) =>
  respond(status, { success: false, code: 'any', message: 'Message.' }, headers)

/** A receiver that gives the responses in order, then stores every push. */
async function openReceiver(t: TestContext, ...behaviours: Behaviour[]) {
  const received: Received[] = []
  // Only clients close idle connections: a request on one that its server closes at that moment fails.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', headers } = request
    const one = { method, headers, body: JSON.parse(text), at: performance.now() }
    received.push(one)
    const behave = behaviours.shift() ?? store
    behave(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port }: AddressInfo = Object(server.address())
  const hubUrl = `http://127.0.0.1:${port}`
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const connect = (options: Partial<PushClientOptions> = {}) => {
    const client = createPushClient({ hubUrl, hubApiKey: KEY, ...LONG_TIMEOUTS, ...options })
    t.after(() => client.close())
    return client
  }
  return { received, connect, hubUrl }
}

test('a push has the headers and members that the specification requires', async (t) => {
  const { received, connect, hubUrl } = await openReceiver(t)
  const before = new Date().toISOString()
  const client = connect({ hubUrl: `${hubUrl}/` })
  const stored = { outcome: 'stored', recordId: 7, effect: 'created', warnings: [] }
  assert.deepEqual(await client.created(record('E-1', { job: 'cook' })), stored)
  const reference = { record_type: 'employee', reference_number: 'E-1' }
  assert.deepEqual(await client.updated(reference, { data: { job: null } }), stored)
  const [post, patch] = received
  assert.equal(post?.method, 'POST')
  assert.equal(post.headers['x-api-key'], KEY)
  assert.equal(post.headers['content-type'], 'application/json')
  assert.equal(post.headers.accept, 'application/json')
  assert.equal(post.headers['ngrok-skip-browser-warning'], 'true')
  assert.ok(post.body.occurred_at >= before)
  assert.equal(patch?.method, 'PATCH')
  assert.deepEqual(patch.body.data, { job: null })
})

test('pushes of one record arrive in order, even if the first attempts fail', async (t) => {
  const { received, connect } = await openReceiver(t, failure(503), (response) => {
    response.destroy()
  })
  const client = connect()
  const reference = { record_type: 'employee', reference_number: 'E-1' }
  const pushes = [0, 1, 2, 3].map((step) => client.updated(reference, { data: { step } }))
  for (const result of await Promise.all(pushes)) assert.equal(result.outcome, 'stored')
  assert.deepEqual(
    received.map(({ body }) => body.data['step']),
    [0, 0, 0, 1, 2, 3],
  )
  const times = received.map(({ body }) => body.occurred_at)
  assert.deepEqual(times, times.toSorted())
  assert.equal(new Set(times.slice(0, 3)).size, 1, 'a retry keeps the time of its push')
})

test('pushes of different records are sent concurrently, up to the limit', async (t) => {
  const pendingResponses: (() => void)[] = []
  const reached = Promise.withResolvers<void>()
  const hold: Behaviour = (response, received) => {
    pendingResponses.push(() => store(response, received))
    if (pendingResponses.length === 3) reached.resolve()
  }
  const { received, connect } = await openReceiver(t, hold, hold, hold)
  const client = connect({ concurrency: 3 })
  const pushes = [1, 2, 3, 4, 5].map((number) => client.created(record(`E-${number}`)))
  await reached.promise
  assert.equal(received.length, 3)
  for (const release of pendingResponses) release()
  await Promise.all(pushes)
  assert.equal(received.length, 5)
})

test('a failing hub receives one push at a time, and none before Retry-After has passed', async (t) => {
  const busy = failure(503, { 'Retry-After': '1' })
  const { received, connect } = await openReceiver(t, busy, busy)
  const failed = Promise.withResolvers<void>()
  const client = connect({ onRetry: () => failed.resolve() })
  const first = client.created(record('first'))
  await failed.promise
  const others = Array.from({ length: 19 }, (_, n) => client.created(record(`E-${n}`)))
  await Promise.all([first, ...others])
  assert.equal(received.length, 22)
  const [one = 0, two = 0, three = 0] = received.map(({ at }) => at)
  assert.ok(two - one >= 1000 && three - two >= 1000, 'one push at a time, and not sooner')
})

test('a rejected push is reported and does not block the pushes after it', async (t) => {
  const { received, connect } = await openReceiver(
    t,
    respond(422, {
      success: false,
      code: 'invalid_record',
      message: 'No.',
      errors: { data: ['x'] },
    }),
  )
  const client = connect()
  const [first, second] = await Promise.all([
    client.created(record('1')),
    client.created(record('1')),
  ])
  assert.deepEqual(first, {
    outcome: 'rejected',
    status: 422,
    code: 'invalid_record',
    message: 'No.',
    errors: { data: ['x'] },
  })
  assert.equal(second.outcome, 'stored')
  assert.equal(received.length, 2)
})

test('with an outbox, an error that requires action is logged even without a listener', async (t) => {
  const { received, connect } = await openReceiver(t, failure(401, { 'Retry-After': '600' }))
  const logged = Promise.withResolvers<string>()
  t.mock.method(console, 'error', logged.resolve)
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-outbox-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const client = connect({ outbox: createFileOutbox(join(folder, 'outbox')) })
  await client.created(record('E-1'))
  assert.match(await logged.promise, /a POST of \["employee","E-1"\] waits: HTTP 401: Message\./)
  await client.close()
  assert.equal(received.length, 1)
})

test('without an outbox, a push is retried until its timeout, also after 401, 403 and 404', async (t) => {
  const { received, connect } = await openReceiver(
    t,
    ...[failure(401), failure(403), failure(404)],
    failure(503, { 'Retry-After': '600' }),
  )
  assert.equal((await connect().created(record('0'))).outcome, 'timed_out', 'after 503')
  assert.equal(received.length, 4)

  const { connect: connectToSilence } = await openReceiver(t, () => undefined)
  const silent = connectToSilence({ timeoutMs: 50, deliveryTimeoutMs: 100 })
  const results = await Promise.all([silent.created(record('1')), silent.created(record('2'))])
  assert.ok(results.some(({ outcome }) => outcome === 'timed_out'))
})

test('an unfinished response times out', async (t) => {
  const half: Behaviour = (response) => void response.writeHead(200).write('{"success":true,')
  const { connect } = await openReceiver(t, half)
  const { promise: firstReason, resolve } = Promise.withResolvers<string>()
  const client = connect({ timeoutMs: 100, onRetry: (_, { reason }) => resolve(reason) })
  const pushed = client.created(record('1'))
  assert.match(await firstReason, /did not respond within 100 ms/)
  await client.close()
  await pushed
})

test('a redirect is not followed, so its target never receives the key', async (t) => {
  const { received: redirected, hubUrl } = await openReceiver(t)
  const redirect: Behaviour = (response) =>
    void response.writeHead(307, { Location: `${hubUrl}/api/webhook/receive` }).end()
  const { connect } = await openReceiver(t, redirect)
  const reasons: string[] = []
  const result = await connect({
    onRetry: (_, { reason }) => void reasons.push(reason),
  }).created(record('1'))
  assert.equal(result.outcome, 'stored', 'after a retry')
  assert.match(reasons[0] ?? '', /HTTP 307/)
  assert.equal(redirected.length, 0)
})

test('an invalid record or a push to a closed client is rejected before anything is sent', async (t) => {
  const { received, connect } = await openReceiver(t)
  const client = connect()
  await assert.rejects(client.created(record('1', { salary: 1n })), /data\.salary is a BigInt/)
  await client.close()
  await assert.rejects(client.created(record('1')), /closed/)
  assert.equal(received.length, 0)
})

test('close() lets requests in flight finish and ends all waiting', async (t) => {
  const arrived = Promise.withResolvers<() => void>()
  const { connect } = await openReceiver(t, failure(503), (response, received) =>
    arrived.resolve(() => store(response, received)),
  )
  const client = connect({ concurrency: 1 })
  const pushes = [client.created(record('1')), client.created(record('2'))]
  const release = await arrived.promise
  const closed = client.close()
  release()
  await closed
  const outcomes = (await Promise.all(pushes)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes.toSorted(), ['stored', 'timed_out'])
})

test('queued pushes survive a restart, and a clock set back does not reorder them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-kit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const openOutbox = () => createFileOutbox(join(folder, 'outbox'))
  const { received, connect } = await openReceiver(
    t,
    failure(503, { 'Retry-After': '60' }),
    failure(422),
  )
  const reference = { record_type: 'employee', reference_number: '1' }
  const retried = Promise.withResolvers<void>()
  const before = connect({ outbox: openOutbox(), onRetry: () => retried.resolve() })
  const queued = { outcome: 'queued' }
  assert.deepEqual(await before.created(record('1')), queued)
  await retried.promise
  assert.deepEqual(await before.updated(reference, { data: { step: 1 } }), queued)
  await before.close()

  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  const rejected: string[] = []
  const stored: string[] = []
  const after = connect({
    outbox: openOutbox(),
    onRejected: (push) => void rejected.push(push.method),
    onStored: (push) => void stored.push(push.method),
  })
  assert.deepEqual(await after.updated(reference, { data: { step: 2 } }), queued)
  await after.idle()
  await after.close()
  assert.deepEqual({ rejected, stored }, { rejected: ['POST'], stored: ['PATCH', 'PATCH'] })
  assert.deepEqual(
    received.map(({ body }) => body.data['step']),
    [undefined, undefined, 1, 2],
  )
  const times = received.map(({ body }) => body.occurred_at)
  assert.deepEqual(times, times.toSorted())
  const again = connect({ outbox: openOutbox() })
  await again.idle()
  assert.equal(received.length, 4, 'the outbox is empty')
})

test('an unusable outbox is reported by ready(), by pushes and by idle()', async (t) => {
  const { connect } = await openReceiver(t)
  const client = connect({ outbox: createFileOutbox('/dev/null/outbox') })
  await assert.rejects(client.ready(), /outbox \/dev\/null\/outbox cannot be used/)
  await assert.rejects(client.created(record('1')), /cannot be used/)
  await assert.rejects(client.idle(), /cannot be used/)
})

test('an error thrown by a listener does not stop the sending', async (t) => {
  const { connect } = await openReceiver(t, failure(503))
  const logged = t.mock.method(console, 'error', () => undefined)
  const fail = () => {
    throw new Error('an error in a listener')
  }
  const client = connect({ onRetry: fail, onStored: fail })
  assert.equal((await client.created(record('1'))).outcome, 'stored')
  assert.equal(logged.mock.callCount(), 2)
})

test('an invalid hub address or key is rejected at once', () => {
  for (const hubUrl of ['', 'hub.example.org', 'ftp://hub', 'https://']) {
    assert.throws(
      () => createPushClient({ hubUrl, hubApiKey: KEY }),
      /^Error: hubUrl is not an http address/,
    )
  }
  for (const hubApiKey of ['', 'rhk_\n', 'schlüssel']) {
    assert.throws(() => createPushClient({ hubUrl: 'https://hub', hubApiKey }), /hubApiKey/)
  }
})
