/** Runs the same handler behind every supported server, over real connections. */
import assert from 'node:assert/strict'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import { toFastifyPlugin } from './fastify.ts'
import { createPlatformHandler, type PlatformHandler } from './handler.ts'
import { toHonoMiddleware } from './hono.ts'
import { toNodeListener } from './node.ts'
import type { PlatformRecord } from './platform.ts'

const KEY = 'a source key of 24 chars'
const CHUNK = { full_name: '', data: { text: 'x'.repeat(40_000) } }

type Reading = { read: number; ended: Promise<void> }
type Start = (handler: PlatformHandler) => Promise<{ server: Server; base: string }>

const listening = (server: Server, base = '') =>
  new Promise<{ server: Server; base: string }>((resolve) => {
    // Only clients close idle connections: a request on one that its server closes at that moment fails.
    server.keepAliveTimeout = 0
    server.listen(0, '127.0.0.1', () => resolve({ server, base }))
  })

/** Each server also has its own page at `/own`, as an existing platform does. */
const SERVERS: Record<string, Start> = {
  'node:http': (handler) => listening(createServer(toNodeListener(handler))),
  Express: (handler) => {
    const app = express()
    app.use(toNodeListener(handler))
    app.get('/own', (_, response) => void response.send('own'))
    return listening(createServer(app))
  },
  'Express, mounted': (handler) => {
    const app = express()
    app.use('/crm', toNodeListener(handler))
    return listening(createServer(app), '/crm')
  },
  Fastify: async (handler) => {
    const app = fastify()
    await app.register(toFastifyPlugin(handler))
    app.get('/own', () => 'own')
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { server: app.server, base: '' }
  },
  'Fastify, with a prefix': async (handler) => {
    const app = fastify()
    await app.register(toFastifyPlugin(handler), { prefix: '/crm' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { server: app.server, base: '/crm' }
  },
  Hono: (handler) => {
    const app = new Hono()
    app.use(toHonoMiddleware(handler))
    app.get('/own', (context) => context.text('own'))
    // Hono handles web-standard requests; the Node adapter passes them to it.
    const whole = Object.assign(async (request: Request) => app.fetch(request), { path: '/' })
    return listening(createServer(toNodeListener(whole)))
  },
}

for (const [name, start] of Object.entries(SERVERS)) {
  test(`${name}: the handler serves its endpoints, and the platform serves all other paths`, async (t) => {
    const { get, origin } = await open(t, start)
    assert.equal((await get('ping')).status, 200)
    const manifest: { modules: { record_type: string }[] } = JSON.parse(
      await (await get('manifest')).text(),
    )
    assert.equal(manifest.modules[0]?.record_type, 'a/b')
    const body: { total: number; records: PlatformRecord[] } = JSON.parse(
      await (await get('records/a%2Fb')).text(),
    )
    assert.equal(body.total, 3)
    assert.equal(body.records[2]?.reference_number, '2')
    assert.equal((await get('ping', { key: 'wrong' })).status, 401)
    assert.equal((await get('nothing')).status, 404)
    const put = await get('ping', { method: 'PUT', body: '{}' })
    assert.equal(put.status, 405)
    const own = await fetch(`${origin}/own`)
    assert.ok(own.status === 404 || (await own.text()) === 'own')
    assert.equal((await fetch(`${origin}/elsewhere`)).status, 404)
  })

  test(`${name}: the client detects a response that was aborted`, async (t) => {
    const { get, errors } = await open(t, start)
    const response = await get('records/broken')
    assert.equal(response.status, 200)
    await assert.rejects(response.text())
    assert.equal(errors.length, 1)
    assert.equal((await get('ping')).status, 200, 'and the platform goes on')
  })

  test(`${name}: records are read on demand, and reading stops when the client disconnects`, async (t) => {
    const { get, address, endless } = await open(t, start)
    assert.equal((await get('ping')).status, 200)
    const outgoing = request(`${address}/api/hub/records/endless`, {
      headers: { 'X-PLATFORM-API-KEY': KEY },
    })
    outgoing.on('error', () => undefined)
    // With a listener, Node does not discard the response.
    outgoing.on('response', () => undefined)
    outgoing.end()
    const reading = await endless
    // The response is not read, so the platform must pause once all buffers are full.
    let before = -1
    while (reading.read !== before) {
      before = reading.read
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    assert.ok(before < 2000, `${before} records of 40 kB were read ahead`)
    outgoing.destroy()
    await reading.ended
  })

  test(`${name}: malformed requests do not stop the server`, async (t) => {
    const { get, port } = await open(t, start)
    for (const line of [
      'TRACE /api/hub/ping HTTP/1.1',
      'GET http://elsewhere/api/hub/ping HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'GET //api/hub/ping HTTP/1.1',
      'GET /api/hub/records/%00%zz HTTP/1.1',
      'GET /api/hub/records/..%2f..%2fetc HTTP/1.1',
    ]) {
      const first = await sendRaw(port, `${line}\r\nHost: any\r\nConnection: close\r\n\r\n`)
      assert.match(first, /^HTTP\/1\.1 (4\d\d|500)/, line)
    }
    assert.equal((await get('ping')).status, 200)
  })
}

async function open(t: TestContext, start: Start) {
  const errors: unknown[] = []
  const endless = Promise.withResolvers<Reading>()
  const fields = [{ key: 'text' }]
  const handler = createPlatformHandler(
    {
      name: 'any',
      title: 'Any',
      sourceKey: KEY,
      modules: [
        {
          name: 'Some',
          recordType: 'a/b',
          fields,
          async *records() {
            for (let n = 0; n < 3; n += 1) yield { reference_number: String(n), ...CHUNK }
          },
        },
        {
          name: 'Broken',
          recordType: 'broken',
          fields,
          async *records() {
            for (let n = 0; n < 3; n += 1) yield { reference_number: String(n), ...CHUNK }
            throw new Error('broken')
          },
        },
        {
          name: 'Endless',
          recordType: 'endless',
          fields,
          async *records() {
            const ended = Promise.withResolvers<void>()
            const reading = { read: 0, ended: ended.promise }
            endless.resolve(reading)
            try {
              for (; ; reading.read += 1) yield { reference_number: 'x', ...CHUNK }
            } finally {
              ended.resolve()
            }
          },
        },
      ],
    },
    { onError: (error) => errors.push(error) },
  )
  const { server, base } = await start(handler)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port }: AddressInfo = Object(server.address())
  const origin = `http://127.0.0.1:${port}`
  const address = origin + base
  const get = (endpoint: string, { key = KEY, ...init }: RequestInit & { key?: string } = {}) =>
    fetch(`${address}/api/hub/${endpoint}`, { headers: { 'X-PLATFORM-API-KEY': key }, ...init })
  return { get, origin, address, port, errors, endless: endless.promise }
}

function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      response += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(response))
  })
}
