import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { ERROR_CODES, HubError, isErrorCode } from '../errors.ts'
import { maxConnectionsFor } from './connection-limit.ts'
import { createHttpServer, type HttpLimits } from './server.ts'

const KEEP_ALIVE_REQUEST = 'GET /nowhere HTTP/1.1\r\nHost: hub\r\n\r\n'
const PUSH_HEADERS =
  'POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n'
const HALF_A_PUSH = `${PUSH_HEADERS}Content-Length: 9\r\n\r\n{`
const PUSH = `${PUSH_HEADERS}Connection: close\r\nContent-Length: 2\r\n\r\n{}`

async function createApp(limits: Partial<HttpLimits> = {}) {
  const { app } = await createHttpServer(
    {
      ...{ logger: pino({ level: 'silent' }), bodyLimit: 1000, trustProxy: false },
      ...{ isBehindTls: false, publicUrl: '', version: '0', rejectionReason: () => null, limits },
    },
    { findOperator: async () => null, findProgram: async () => null },
    () => '',
  )
  return app
}

async function listen(t: TestContext, limits: Partial<HttpLimits>): Promise<number> {
  const app = await createApp(limits)
  app.post('/api/webhook/receive', async () => ({}))
  return listenOn(t, app)
}

async function listenOn(
  t: TestContext,
  app: Awaited<ReturnType<typeof createApp>>,
): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

function open(t: TestContext, port: number, bytes: string) {
  const socket = connect({ host: '127.0.0.1', port })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  if (bytes !== '') socket.write(bytes)
  return socket
}

const slow: [string, string][] = [
  ['nothing', ''],
  ['half of its first line', 'POST /api/web'],
  ['half of its headers', 'POST /nowhere HTTP/1.1\r\nHost: hub\r\nX-A'],
  ['half of its body', HALF_A_PUSH],
]
for (const [what, bytes] of slow) {
  test(`a client that sends ${what} and then waits gets 408`, async (t) => {
    const port = await listen(t, { requestMs: 100, checkIntervalMs: 50 })
    assert.match(await text(open(t, port, bytes)), /^HTTP\/1\.1 408 /)
  })
}

test('at the connection limit, connections without a complete request are closed, the longest unused first', async (t) => {
  const port = await listen(t, { connections: 3 })
  const silent = open(t, port, '')
  await once(silent, 'connect')
  const idle = open(t, port, KEEP_ALIVE_REQUEST)
  await once(idle, 'data')
  const stalled = open(t, port, HALF_A_PUSH)
  await once(stalled, 'connect')
  for (const socket of [silent, idle, stalled]) {
    const closed = once(socket, 'close')
    await once(open(t, port, KEEP_ALIVE_REQUEST), 'data')
    await closed
  }
})

/** More than the buffers of the connection hold. Two of them exceed what one client may leave unread. */
const LARGE_RESPONSE = 'x'.repeat(20 * 1024 * 1024)
const LARGE_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n'

async function listenWithLargeResponse(t: TestContext): Promise<number> {
  const app = await createApp()
  app.get('/healthz', async () => LARGE_RESPONSE)
  app.post('/api/webhook/receive', async () => LARGE_RESPONSE)
  return listenOn(t, app)
}

test('while a client leaves large responses unread, further ones of it get 503, and then succeed', async (t) => {
  const port = await listenWithLargeResponse(t)
  const unread = open(t, port, LARGE_REQUEST)
  await once(unread, 'readable')
  const rejected = await text(open(t, port, LARGE_REQUEST))
  assert.match(rejected, /^HTTP\/1\.1 503 /)
  assert.match(rejected, /retry-after: [1-9]\d*\r\n/i)
  // A POST may have changed something.
  assert.match(await text(open(t, port, PUSH)), /^HTTP\/1\.1 200 /)
  unread.destroy()
  let response = ''
  while (!response.startsWith('HTTP/1.1 200 ')) response = await text(open(t, port, LARGE_REQUEST))
  assert.ok(response.endsWith(LARGE_RESPONSE))
})

test('a large response to a client that has disconnected is not counted', async (t) => {
  const app = await createApp()
  const started = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  app.get('/healthz', async (_request, reply) => {
    started.resolve()
    await once(reply.raw, 'close')
    return LARGE_RESPONSE
  })
  app.get('/readyz', async () => LARGE_RESPONSE)
  app.addHook('onSend', async () => sent.resolve())
  const port = await listenOn(t, app)
  const disconnected = open(t, port, LARGE_REQUEST)
  await started.promise
  disconnected.destroy()
  await sent.promise
  const response = await text(open(t, port, LARGE_REQUEST.replace('healthz', 'readyz')))
  assert.match(response, /^HTTP\/1\.1 200 /)
})

test('at the connection limit, a connection with a request in progress stays open', async (t) => {
  const app = await createApp({ connections: 2 })
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  app.post('/api/webhook/receive', async () => {
    started.resolve()
    await finish.promise
    return {}
  })
  const port = await listenOn(t, app)
  const first = Promise.withResolvers<void>()
  app.server.once('request', (_request, response) => response.once('close', first.resolve))
  // The response to the first request must not end the use of the connection by the second one.
  const inProgress = open(t, port, KEEP_ALIVE_REQUEST + PUSH)
  await Promise.all([started.promise, first.promise])
  for (let count = 0; count < 5; count += 1) {
    await once(open(t, port, KEEP_ALIVE_REQUEST), 'data')
  }
  const response = text(inProgress)
  finish.resolve()
  assert.match(await response, /^HTTP\/1\.1 404 .*HTTP\/1\.1 200 /s)
})

/** A server whose limit applies from a request on: a slow machine may read it long after the connection has begun. */
async function createStalling(stallMs: number) {
  const app = await createApp({ stallMs })
  app.server.on('connection', (socket) => socket.setTimeout(0))
  app.addHook('onRequest', async ({ raw }) => void raw.socket.setTimeout(stallMs))
  return app
}

test('a client that does not read its response is disconnected', async (t) => {
  const app = await createStalling(50)
  const ended = Promise.withResolvers<void>()
  app.post('/api/webhook/receive', async (_request, reply) => {
    // More than the socket buffers of both sides.
    const stream = Readable.from(Array.from({ length: 1000 }, () => Buffer.alloc(65_536)))
    stream.once('close', ended.resolve)
    return reply.send(stream)
  })
  const socket = open(t, await listenOn(t, app), PUSH)
  socket.pause()
  await ended.promise
})

test('a client that waits for a slow response stays connected', async (t) => {
  const app = await createStalling(20)
  const checks = Promise.withResolvers<void>()
  let timeouts = 0
  app.server.on('timeout', () => {
    timeouts += 1
    if (timeouts === 3) checks.resolve()
  })
  app.post('/api/webhook/receive', async ({ raw }) => {
    await checks.promise
    // The client may read the response later.
    raw.socket.setTimeout(0)
    return {}
  })
  const response = await text(open(t, await listenOn(t, app), PUSH))
  assert.match(response, /^HTTP\/1\.1 200 /)
})

test('the connection limit leaves file descriptors for the database and platforms', () => {
  assert.deepEqual(
    [null, 100, 400, 1024, 65_536].map(maxConnectionsFor),
    [5000, 50, 200, 768, 5000],
  )
})

test('every 429 and 503 response has Retry-After', async () => {
  const app = await createApp()
  app.post('/api/webhook/receive', async ({ headers }) => {
    const code = headers['x-code']
    assert.ok(typeof code === 'string' && isErrorCode(code))
    throw new HubError(code)
  })
  const codes = Object.entries(ERROR_CODES).filter(([, { status }]) => [429, 503].includes(status))
  assert.ok(codes.length > 5)
  for (const [code, { status }] of codes) {
    const headers = { 'x-code': code }
    const response = await app.inject({ method: 'POST', url: '/api/webhook/receive', headers })
    assert.equal(response.statusCode, status)
    assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/, code)
  }
})
