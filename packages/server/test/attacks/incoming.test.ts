/** Attacks on the hub over its socket: each is rejected and changes no table. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { before, test } from 'node:test'
import { ACCESS } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { digestTables, parseStatuses, sendRaw } from '../helpers/hub/raw-requests.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { PATHS, RAW_ROWS } from './requests.ts'

/** Hostile bodies. In the deep tier, each is sent to every route that accepts a body. */
const BODIES: readonly (readonly [string, string | Buffer])[] = [
  ['a __proto__', '{"__proto__":{"polluted":true,"role":"admin"}}'],
  ['a nested __proto__', '{"data":{"a":[{"__proto__":{"polluted":true}}]}}'],
  ['a constructor', '{"constructor":{"prototype":{"polluted":true}},"role":"admin"}'],
  ['a prototype', '{"prototype":{"polluted":true}}'],
  ['a duplicate key', '{"password":"a","password":["b"],"email":"a@b","email":{}}'],
  ['a byte order mark alone', '\ufeff'],
  ['a byte order mark twice', '\ufeff\ufeff{}'],
  ['overlong UTF-8', Buffer.from('7b2261223a22c0af227d', 'hex')],
  ['a surrogate in UTF-8', Buffer.from('7b2261223a22eda080227d', 'hex')],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  [
    'U+0000',
    '{"name\\u0000":"a\\u0000b","email":"\\u0000","password":"\\u0000","token":"\\u0000"}',
  ],
  [
    'lone surrogates',
    '{"name":"\\ud800","email":"\\udc00@b","password":"\\ud800","token":"\\ud800"}',
  ],
  ['a huge number', `{"grace_seconds":1e999999,"id":${'9'.repeat(10_000)},"a":-0,"b":1e-999999}`],
  ['an array', '[[[[]]]]'],
  ['a string', '"admin"'],
  ['null', 'null'],
  [
    'arrays instead of strings',
    '{"email":["a@b"],"password":[],"token":{},"name":[[]],"code":[1],"status":["inactive"]}',
  ],
  [
    'query operators instead of strings',
    '{"email":{"$ne":null},"password":{"$gt":""},"code":{"$regex":".*"}}',
  ],
]

/** Expensive bodies, which are sent to HEAVY_ROUTES only. */
const HEAVY: typeof BODIES = [
  [
    '60,000 keys',
    JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]))),
  ],
  ['nested arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
]
const HEAVY_ROUTES = new Set([
  'POST /api/webhook/receive',
  'PATCH /api/webhook/receive',
  'POST /api/auth/sign-in/email',
  'POST /api/v1/platforms',
  'POST /setup',
])

const QUERY =
  '?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__=1&filter[__proto__]=1&filter[constructor]=1' +
  '&limit=1e999&cursor=%00&cursor=%ed%a0%80&sort[]=a&q=%00&q=%ff&platform[]=x&platform=y&as_of=__proto__&format=__proto__'

/** In the quick tier, each body is sent to every eighteenth route, so that a route receives one of them. */
const EVERY = 18

/** Routes that are not requested: an endless stream, and the start of a pull. */
const EXCLUDED = new Set(['GET /dashboard/events', 'POST /api/v1/pulls'])

/** Digests all tables but the request log once the search index, which is updated in the background, has caught up. */
async function digestWithoutLog(hub: TestHub) {
  await hub.untilIndexed()
  const tables = await digestTables(hub.storage)
  // The request log keeps refused requests too.
  for (const name of ['request_details', 'request_log', 'request_batches']) delete tables[name]
  return tables
}

describeHub('attacks over the socket', { withOperator: true }, (hub) => {
  let key = ''
  let initial: Awaited<ReturnType<typeof digestTables>>
  const digest = () => digestWithoutLog(hub)
  before(async () => {
    key = (await hub.registerPushing()).hub_api_key
    assert.equal((await hub.push(key, newRecord('VALID'))).status, 201)
    initial = await digest()
  })

  for (const { what, bytes, statuses } of RAW_ROWS) {
    test(`the hub responds to ${what} with ${statuses.map((one) => one.join() || 'a close').join(' or ')}`, async () => {
      const min = Math.min(...statuses.map((one) => one.length))
      const response = await sendRaw(hub.address, bytes(key), min)
      const found = parseStatuses(response)
      assert.ok(
        statuses.some((one) => one.join() === found.join()),
        response.slice(0, 2000),
      )
      for (const header of [
        /^x-content-type-options: nosniff\r$/gim,
        /^cache-control: no-store\r$/gim,
      ]) {
        assert.equal(response.match(header)?.length ?? 0, found.length, response)
      }
      for (const text of [response, hub.log()]) assert.ok(!text.includes(key))
      assert.doesNotMatch(hub.log(), /rawPacket/)
      if (isDeep) assert.deepEqual(await digest(), initial)
    })
  }

  test('none of these requests changes a table', async () => {
    assert.deepEqual(await digest(), initial)
  })

  test('the same push with valid framing is accepted', async () => {
    const body = JSON.stringify(newRecord('FRAMED'))
    const head = `POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\n`
    const size = Buffer.byteLength(body)
    const plain = await sendRaw(hub.address, `${head}Content-Length: ${size}\r\n\r\n${body}`)
    assert.deepEqual(parseStatuses(plain), [201])
    const chunk = `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const chunked = await sendRaw(hub.address, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)
    assert.deepEqual(parseStatuses(chunked), [200])
  })

  test('no spelling of a path bypasses the access table', async () => {
    const stored = await digest()
    const bearer = `Authorization: Bearer rht_${'0'.repeat(49)}\r\n`
    const sets = ['', bearer, 'X-Original-URL: /healthz\r\nX-Rewrite-URL: /healthz\r\n']
    for (const [index, path] of PATHS.entries()) {
      // In the quick tier, one set of headers for each path.
      for (const headers of sets.filter((_, at) => isDeep || at === index % sets.length)) {
        for (const method of ['GET', 'POST']) {
          const response = await sendRaw(
            hub.address,
            `${method} ${path} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nContent-Length: 0\r\n${headers}\r\n`,
          )
          const [status = 0] = parseStatuses(response)
          assert.ok(
            [302, 400, 401, 403, 404, 405, 419].includes(status),
            `${method} ${path}: ${response}`,
          )
          assert.doesNotMatch(response, /^X-Evil/im)
          assert.doesNotMatch(response, /"platforms":|root:|"dependencies"/)
        }
      }
    }
    assert.deepEqual(await digest(), stored)
  })

  test('no header overrides the method', async () => {
    const { headers } = await hub.signIn()
    const stored = await digest()
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      for (const method of ['DELETE', 'PATCH']) {
        const response = await hub.send({
          url: '/api/v1/platforms/1?_method=DELETE',
          headers: { ...headers, [name]: method },
        })
        assert.equal(response.status, 200)
        const posted = await hub.send({
          method: 'POST',
          url: '/api/v1/platforms/1',
          headers: { ...headers, [name]: method },
          body: { platform_name: 'x', status: 'inactive', _method: method },
        })
        assert.equal(posted.status, 405)
      }
    }
    const { operators: _, operator_sessions: __, ...rest } = await digest()
    const { operators: ___, operator_sessions: ____, ...expected } = stored
    assert.deepEqual(rest, expected)
  })

  test('a hostile Host header appears in no response and causes no 5xx', async () => {
    for (const host of [
      'evil.example',
      '"><script>alert(1)</script>',
      '[',
      'a b',
      'hub:99999',
      '..',
      'a@b',
      '',
      '%00',
      'x'.repeat(5000),
    ]) {
      for (const [method, path, type] of [
        ['GET', '/dashboard', 'text/html'],
        ['GET', '/sign-in', 'text/html'],
        ['GET', '/nowhere', 'text/html'],
        ['GET', '/api/v1/sign-in-options', '*/*'],
        ['POST', '/api/auth/sign-in/email', '*/*'],
        ['POST', '/api/auth/sign-in/social', '*/*'],
        ['GET', '/api/auth/callback/oidc', '*/*'],
      ]) {
        const body =
          method === 'POST' ? '{"email":"a@example.org","password":"wrong password"}' : ''
        const response = await sendRaw(
          hub.address,
          `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: evil.example\r\nAccept: ${type}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        const [status = 0] = parseStatuses(response)
        assert.ok(status > 0 && status < 500, `${host} ${path}: ${response.slice(0, 1000)}`)
        if (host !== '' && host !== '..' && host !== '[')
          assert.ok(!response.includes(host.slice(0, 100)), `${path}: ${response.slice(0, 1000)}`)
        assert.ok(!response.includes('evil.example'))
      }
    }
  })

  test('an empty Host gets 400 on every route but those of health checks', async () => {
    for (const route of Object.keys(ACCESS)) {
      const [method = '', path = ''] = route.split(' ')
      const url = path.replace('*', 'x').replaceAll(/:\w+/g, '1')
      const isHealth = url === '/healthz' || url === '/readyz'
      const bytes = `${method} ${url} HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n`
      const [status] = parseStatuses(await sendRaw(hub.address, bytes))
      assert.equal(status, isHealth ? 200 : 400, route)
    }
    assert.doesNotMatch(hub.log(), /"level":50/)
  })

  test('no hostile body or query causes a 500 or pollutes a prototype', async () => {
    const authorization = hub.authorization('admin')
    const routes = Object.keys(ACCESS).filter((name) => !EXCLUDED.has(name))
    for (const [index, route] of routes.entries()) {
      const [method = '', path = ''] = route.split(' ')
      const url = path.replace('*', 'x').replaceAll(/:\w+/g, '1')
      const send = (body?: string | Buffer) =>
        fetch(`${hub.address}${url}${QUERY}`, {
          ...{ method, redirect: 'manual' },
          headers: { authorization, 'x-api-key': key, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
        })
      const bodies =
        method === 'GET'
          ? [['no body', undefined] as const]
          : [
              ...BODIES.filter((_, number) => (index + number) % rounds(EVERY, 1) === 0),
              ...(HEAVY_ROUTES.has(route) ? HEAVY : []),
            ]
      for (const [what, body] of bodies) {
        const response = await send(body)
        assert.ok(
          response.status !== 500,
          `${route} with ${what}: ${response.status} ${await response.text()}`,
        )
        await response.body?.cancel().catch(() => undefined)
      }
    }
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    const errors = hub
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":50') && !line.includes('HubError'))
    assert.deepEqual(errors, [])
  })

  test('many connections that send almost nothing do not block a push', async () => {
    const { port } = new URL(hub.address)
    const sockets: Socket[] = []
    for (let count = 0; count < rounds(200, 1000); count += 1) {
      const socket = connect({ host: '127.0.0.1', port: Number(port) })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(
        count % 2 === 0
          ? 'POST /api/webhook/receive HTTP/1.1\r\nHost:'
          : `POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      )
      sockets.push(socket)
    }
    const body = JSON.stringify(newRecord('CONCURRENT'))
    const response = await fetch(`${hub.address}/api/webhook/receive`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
    })
    assert.equal(response.status, 201)
    for (const socket of sockets) socket.destroy()
  })
})

// A hub of its own: the log repeats the rejections of other tests once a second.
describeHub('pushes with unknown keys', (hub) => {
  test('requests with unknown keys store nothing and log about one line per second at most', async () => {
    const stored = await digestWithoutLog(hub)
    const logged = hub.log().length
    const start = performance.now()
    for (let count = 0; count < rounds(100, 2000); count += 1) {
      const response = await hub.push(`rhk_${String(count).padStart(49, '0')}`, newRecord('X'))
      assert.equal(response.status, 401)
    }
    assert.deepEqual(await digestWithoutLog(hub), stored)
    const lines = hub.log().slice(logged).split('\n').slice(0, -1)
    const seconds = (performance.now() - start) / 1000
    const entries = lines
      .map((line) => JSON.parse(line))
      .filter(({ code }) => code === 'api_key_invalid')
    assert.equal(entries.length, lines.length)
    assert.ok(entries.length <= 2 + seconds, `${entries.length} lines`)
    assert.doesNotMatch(lines.join(), /rhk_/)
  })
})
