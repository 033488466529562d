import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { ERROR_CODES, HubError, isErrorCode } from '../errors.ts'
import { createHttpServer, type HttpLimits } from './server.ts'

const KEEP_ALIVE_REQUEST = 'GET /nowhere HTTP/1.1\r\nHost: hub\r\n\r\n'

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
  [
    'half of its body',
    'POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
]
for (const [what, bytes] of slow) {
  test(`a client that sends ${what} and then waits gets 408`, async (t) => {
    const port = await listen(t, { requestMs: 100, checkIntervalMs: 50 })
    assert.match(await text(open(t, port, bytes)), /^HTTP\/1\.1 408 /)
  })
}

test('connections over the limit are closed until another connection ends', async (t) => {
  const port = await listen(t, { connections: 2 })
  const connected = [open(t, port, KEEP_ALIVE_REQUEST), open(t, port, KEEP_ALIVE_REQUEST)]
  for (const socket of connected) await once(socket, 'data')
  assert.equal(await text(open(t, port, KEEP_ALIVE_REQUEST)), '')
  const [first] = connected
  first?.destroy()
  for (let response = ''; response === ''; ) {
    const socket = open(
      t,
      port,
      KEEP_ALIVE_REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    response = await text(socket)
  }
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
