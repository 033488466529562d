import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fastify from 'fastify'
import { limitBodies } from './request-bodies.ts'

const BODY_LIMIT = 1000
const NOTHING = { requests: 0, bytes: 0 }
const TYPE = 'application/json'

test('the body of a client that disconnects during its authentication is not counted', async (t) => {
  const app = fastify()
  const bodies = limitBodies(app, BODY_LIMIT)
  const started = Promise.withResolvers<void>()
  const authenticated = Promise.withResolvers<void>()
  app.post(
    '/api/v1/pulls',
    {
      async onRequest(_request, reply) {
        started.resolve()
        await once(reply.raw, 'close')
        authenticated.resolve()
      },
    },
    async () => ({}),
  )
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.after(() => app.close())
  const client = connect({ host: hostname, port: Number(port) })
  client.write(
    `POST /api/v1/pulls HTTP/1.1\r\nHost: hub\r\nContent-Type: ${TYPE}\r\nContent-Length: 9\r\n\r\n{`,
  )
  await started.promise
  client.destroy()
  await authenticated.promise
  await setImmediate()
  assert.deepEqual(bodies.caller.occupied, NOTHING)
})

test('a body that is too large for any request gets 413, even if it exceeds the limit for all bodies', async () => {
  const app = fastify({ bodyLimit: BODY_LIMIT })
  const bodies = limitBodies(app, BODY_LIMIT)
  app.post('/api/webhook/receive', async () => ({}))
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/api/webhook/receive',
    headers: { 'content-type': TYPE, 'content-length': String(2 * bodies.platform.limit.bytes) },
    payload: '{}',
  })
  assert.equal(statusCode, 413)
  assert.deepEqual(bodies.platform.occupied, NOTHING)
})

test('what arrives of a body after the response is discarded, however much it is', async (t) => {
  const app = fastify()
  const bodies = limitBodies(app, BODY_LIMIT)
  app.post('/api/v1/invitation', async () => ({}))
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.after(() => app.close())
  const client = connect({ host: hostname, port: Number(port) })
  client.write(
    'POST /api/v1/invitation HTTP/1.1\r\nHost: hub\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const [response] = await once(client, 'data')
  assert.match(String(response), /^HTTP\/1\.1 415 /)
  const size = 1024 * 1024
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
  for (let sent = 0; sent <= 16 * size; sent += size) client.write(chunk)
  client.write('0\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: hub\r\n\r\n')
  const [next] = await once(client, 'data')
  client.destroy()
  assert.match(String(next), /^HTTP\/1\.1 404 /)
  assert.deepEqual(bodies.anyone.occupied, NOTHING)
})
