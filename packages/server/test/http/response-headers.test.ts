/** The headers of every kind of response, and the log of rejected requests. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { HubRequest } from '../helpers/hub/hub.ts'
import type { Session } from '../helpers/operator.ts'

const BROWSER = { accept: 'text/html' }

/** One request for each kind of response, with the status that identifies the kind. */
const RESPONSES: [string, number, HubRequest][] = [
  ['health', 200, { url: '/healthz' }],
  ['readiness', 200, { url: '/readyz' }],
  ['the OpenAPI document', 200, { url: '/api/openapi.json' }],
  ['the API reference', 200, { url: '/docs' }],
  ['the receiver without a key', 401, { method: 'POST', url: '/api/webhook/receive', body: {} }],
  ['the redirect to the page', 302, { url: '/' }],
  ['a page', 200, { url: '/sign-in' }],
  ['the API without a session', 401, { url: '/api/v1/records' }],
  [
    'an action without a CSRF token',
    419,
    { method: 'POST', url: '/dashboard/pull-all-existing-records' },
  ],
  ['auto-sync', 200, { method: 'POST', url: '/dashboard/auto-sync' }],
  ['an unknown page', 404, { url: '/nothing', headers: BROWSER }],
  ['an unknown endpoint', 404, { url: '/api/v1/nothing' }],
  ['an unknown file', 404, { url: '/assets/nothing.js' }],
  ['an unsupported method', 405, { method: 'DELETE', url: '/api/webhook/receive' }],
  ['a malformed URL', 400, { url: '/%ff' }],
  ['an invalid body', 400, { method: 'POST', url: '/api/v1/invitation', body: { x: 1 } }],
]

describeHub('headers of every response', { withOperator: true }, (hub) => {
  for (const [what, status, request] of RESPONSES) {
    test(`${what}: the response forbids caching, framing, sniffing and foreign scripts`, async () => {
      const response = await hub.send(request)
      assert.equal(response.status, status)
      assert.equal(response.header('cache-control'), 'no-store')
      assert.equal(response.header('x-content-type-options'), 'nosniff')
      assert.equal(response.header('referrer-policy'), 'no-referrer')
      const policy = response.header('content-security-policy')
      for (const name of ['default-src', 'object-src', 'base-uri', 'frame-ancestors']) {
        assert.match(policy, new RegExp(`(?:^|; ?)${name} 'none'(?:;|$)`))
      }
      assert.doesNotMatch(policy, /script-src[^;]*unsafe|\*/)
      const isPage = what === 'a page' || what === 'the API reference'
      // A page needs its own policy, which allows its scripts.
      if (isPage) assert.match(policy, /script-src 'self'/)
      assert.equal(response.header('access-control-allow-origin'), '')
      assert.equal(response.header('strict-transport-security'), '')
      if (response.text !== '') assert.match(response.header('content-type'), /; ?charset=utf-8/i)
    })
  }

  test('responses to a session are never cached', async () => {
    const { headers }: Session = await hub.signIn()
    for (const url of ['/dashboard', '/dashboard/realtime', '/api/v1/session', '/api/v1/guide']) {
      const response = await hub.send({ url, headers })
      assert.equal(response.status, 200)
      assert.equal(response.header('cache-control'), 'no-store')
    }
  })

  test('static files are cacheable and have their own content type', async () => {
    const icon = await hub.send({ url: '/assets/icon.svg' })
    assert.match(icon.header('cache-control'), /^public/)
    assert.equal(icon.header('content-type'), 'image/svg+xml; charset=utf-8')
    assert.equal(icon.header('x-content-type-options'), 'nosniff')
  })
})

describeHub(
  'headers of every response behind TLS',
  { env: { HUB_PUBLIC_URL: 'https://hub.example' } },
  (hub) => {
    for (const [what, status, request] of RESPONSES) {
      test(`${what}: HSTS requires TLS for a year`, async () => {
        const response = await hub.send(request)
        assert.equal(response.status, status)
        const policy = response.header('strict-transport-security')
        assert.equal(policy, 'max-age=31536000')
      })
    }
  },
)

describeHub(
  'headers with HUB_HSTS_SUBDOMAINS',
  { env: { HUB_PUBLIC_URL: 'https://hub.example', HUB_HSTS_SUBDOMAINS: 'on' } },
  (hub) => {
    for (const url of ['/healthz', '/sign-in']) {
      test(`${url}: HSTS includes the subdomains`, async () => {
        const policy = (await hub.send({ url })).header('strict-transport-security')
        assert.equal(policy, 'max-age=31536000; includeSubDomains')
      })
    }
  },
)

describeHub('the log of rejected requests', (hub) => {
  const KEY = 'rhk_in-the-wrong-parameter'
  let lines: Record<string, unknown>[]
  let seconds = 0
  before(async () => {
    const start = performance.now()
    for (let count = 0; count < 50; count++) {
      await hub.send({ url: `/api/v1/records?key=${KEY}`, headers: { 'x-api-key': KEY } })
    }
    const authorization = hub.authorization('viewer')
    await hub.send({ method: 'POST', url: '/api/v1/pulls', headers: { authorization } })
    const log = hub.log().split('\n')
    seconds = (performance.now() - start) / 1000
    lines = log.filter((line) => line.includes('requests rejected')).map((line) => JSON.parse(line))
  })

  test('an entry has the error code, client address and route, but nothing the client sent', () => {
    const [first, forbidden] = ['not_signed_in', 'forbidden'].map((code) =>
      lines.find((line) => line['code'] === code),
    )
    const { status, method, route, address, requests } = first ?? assert.fail('no entry')
    const logged = { status, method, route, address, requests }
    const expected = { status: 401, method: 'GET', route: '/api/v1/records' }
    assert.deepEqual(logged, { ...expected, address: '127.0.0.1', requests: 1 })
    assert.equal(forbidden?.['route'], '/api/v1/pulls')
    assert.ok(!hub.log().includes(KEY))
  })

  test('many rejections of one kind log at most one entry per second', () => {
    const ofOneKind = lines.filter((line) => line['code'] === 'not_signed_in')
    // One immediately, and one for each second that the requests took.
    assert.ok(ofOneKind.length <= 1 + seconds, `${ofOneKind.length} entries`)
  })
})
