/** Status codes of rejected requests, and the headers of their responses. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createKey, HUB_KEY_PREFIX, TOKEN_PREFIX } from '../../src/domain/platform/api-key.ts'
import { ACCESS, requiresCaller } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, type HubRequest } from '../helpers/hub/hub.ts'
import { expectAbsent, expectError, type TestResponse } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { rounds } from '../helpers/time/tier.ts'

type Headers = Record<string, string>
type Method = NonNullable<HubRequest['method']>

const PULL_ALL = '/dashboard/pull-all-existing-records'
const AUTO_SYNC = '/dashboard/auto-sync'
const SIGN_OUT = '/api/auth/sign-out'
const SCRIPT = { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' }
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const OWN_SITE: Headers = { host: 'hub.example', origin: 'http://hub.example' }
const OTHER_SITES: [string, Headers][] = [
  ['a foreign Origin', { origin: 'https://evil.example' }],
  ['Origin: null', { origin: 'null' }],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
]

/** Streams, which have no HEAD. */
const STREAMS = [
  '/api/v1/alerts/events',
  '/dashboard/events',
  '/api/v1/activity/export',
  '/api/v1/audit/export',
  '/api/v1/backups/:file',
  '/api/v1/records/export',
  '/api/v1/reverts/:id/records/export',
  '/api/v1/search',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'] as const

const ROUTES = Object.entries(ACCESS).map(([name, access]) => {
  const [method = '', pattern = ''] = name.split(' ')
  const url = pattern.replaceAll(/:\w+/g, '999999').replace('*', 'any')
  return { name, method: methodOf(method), pattern, url, access }
})

/** Every route that needs a role and may change something. */
const ACTIONS = ROUTES.filter(({ method, access }) => method !== 'GET' && requiresCaller(access))

function methodOf(text: string): (typeof METHODS)[number] {
  return METHODS.find((method) => method === text) ?? assert.fail(`Unknown method: ${text}`)
}

describeHub('status codes', { withOperator: true }, (hub) => {
  let mine: Session
  let other: Session
  let idle: Session
  before(async () => {
    idle = await hub.signIn()
    await hub.sql(`UPDATE operator_sessions SET updated_at = '2026-01-01T00:00:00.000Z'`)
    mine = await hub.signIn()
    other = await hub.signIn()
  })

  /** The response to a script: a JSON error that contains no CSRF token. */
  async function expectScriptError(request: HubRequest, status: number, code: string) {
    const response = await hub.send({ ...request, headers: { ...SCRIPT, ...request.headers } })
    expectError(response, status, code)
    expectAbsent([mine.csrf, other.csrf], [response.text])
    return response
  }

  /** The response to a browser: the error page, not the dashboard. */
  async function expectErrorPage(request: HubRequest, status: number): Promise<TestResponse> {
    const response = await hub.send({ ...request, headers: { ...request.headers, ...BROWSER } })
    assert.equal(response.status, status, response.text)
    assert.match(response.header('content-type'), /^text\/html/)
    assert.ok(response.text.includes(`<h1>${status}</h1>`))
    assert.doesNotMatch(response.text, /csrf-token|<script/)
    return response
  }

  const credentials: [string, 401 | 419, () => Headers][] = [
    ['no session', 401, () => ({})],
    ['no session and a token', 401, () => ({ 'x-csrf-token': mine.csrf })],
    ['a session that has ended', 401, () => ({ ...idle.headers })],
    ['a session without a token', 419, () => ({ cookie: mine.cookie })],
    ['a session and a wrong token', 419, () => ({ cookie: mine.cookie, 'x-csrf-token': 'x' })],
    [
      "a session and another session's token",
      419,
      () => ({ cookie: mine.cookie, 'x-csrf-token': other.csrf }),
    ],
  ]
  const sites: [string, Headers][] = [
    ['no Origin', {}],
    ['its own Origin', OWN_SITE],
    ...OTHER_SITES,
  ]

  for (const [credential, apiStatus, headersOf] of credentials) {
    // The other sites are those of the next tests.
    for (const [from, site] of sites.slice(0, rounds(2, sites.length))) {
      test(`an action with ${credential} and ${from} returns 419, and ${apiStatus} to a program in the API`, async () => {
        const rows = await hub.countStoredRows()
        const headers = { ...headersOf(), ...site }
        const post = { method: 'POST', headers } as const
        for (const url of [PULL_ALL, SIGN_OUT]) {
          await expectScriptError({ ...post, url }, 419, 'session_or_token_invalid')
        }
        const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
        const { 'x-requested-with': _, ...browser }: Headers = form
        await expectErrorPage({ method: 'POST', url: PULL_ALL, headers: browser, body: 'a=1' }, 419)
        const url = '/api/v1/pulls'
        await expectScriptError({ ...post, url }, 419, 'session_or_token_invalid')
        const code = apiStatus === 401 ? 'not_signed_in' : 'session_or_token_invalid'
        const byProgram = { ...headers, 'x-requested-with': '' }
        expectError(await hub.send({ ...post, url, headers: byProgram }), apiStatus, code)
        assert.deepEqual(await hub.countStoredRows(), rows)
      })
    }
  }

  test('every action of the page without a session returns 419, and 401 with an invalid token in the API', async () => {
    for (const { method, url } of ACTIONS) {
      await expectScriptError({ method, url }, 419, 'session_or_token_invalid')
    }
    const headers = { authorization: 'Bearer unknown' }
    const request = { method: 'POST', url: '/api/v1/pulls', headers } as const
    await expectScriptError(request, 401, 'not_signed_in')
  })

  for (const [from, site] of OTHER_SITES) {
    test(`every action of a session without its CSRF token returns 419 with ${from}`, async () => {
      const headers = { cookie: mine.cookie, ...site }
      for (const { method, url } of ACTIONS) {
        await expectScriptError({ method, url, headers }, 419, 'session_or_token_invalid')
      }
    })

    test(`an action with session and token returns 403 with ${from} and does not extend the session`, async () => {
      const rows = await hub.countStoredRows()
      const sessions = async () =>
        JSON.stringify(await hub.sql('SELECT id, updated_at FROM operator_sessions ORDER BY id'))
      const earlier = new Date(Date.now() - 600_000).toISOString()
      await hub.sql(
        `UPDATE operator_sessions SET updated_at = '${earlier}' WHERE updated_at > '2026-02-01'`,
      )
      const before = await sessions()
      for (const url of [PULL_ALL, SIGN_OUT, '/api/v1/pulls']) {
        const headers = { ...mine.headers, ...site }
        await expectScriptError({ method: 'POST', url, headers }, 403, 'origin_not_allowed')
      }
      assert.equal(await sessions(), before)
      assert.deepEqual(await hub.countStoredRows(), rows)
    })

    test(`a sign-in returns 403 with ${from}`, async () => {
      const body = { email: EMAIL, password: 'x' }
      const request = { method: 'POST', url: '/api/auth/sign-in/email', headers: site, body }
      await expectScriptError({ ...request, method: 'POST' }, 403, 'origin_not_allowed')
    })
  }

  const none = createKey(TOKEN_PREFIX).key
  const apiKey = 'ApiKey realm="recordhub", header="X-API-KEY"'
  const bearer = 'Bearer realm="recordhub"'
  const invalidToken = 'Bearer realm="recordhub", error="invalid_token"'
  const cookie = 'Cookie realm="recordhub", form-action="/sign-in"'
  const receive = '/api/webhook/receive'
  const challenges: [string, HubRequest, string][] = [
    ['a push without a key', { method: 'POST', url: receive, body: {} }, apiKey],
    [
      'a push with an unknown key',
      { method: 'PATCH', url: receive, headers: { 'x-api-key': createKey(HUB_KEY_PREFIX).key } },
      apiKey,
    ],
    ['a check without a key', { url: '/api/webhook/check' }, apiKey],
    ['a percent-encoded check', { url: '/api/%77ebhook/check' }, apiKey],
    ['a read of the API', { url: '/api/v1/records' }, bearer],
    ['a percent-encoded read of the API', { url: '/%61pi/v1/records' }, bearer],
    ['a HEAD of the API', { method: 'HEAD', url: '/api/v1/records' }, bearer],
    ['an action of the API', { method: 'POST', url: '/api/v1/pulls' }, bearer],
    ['a read of the session without one', { url: '/api/v1/session' }, bearer],
    [
      'an unknown token',
      { url: '/api/v1/records', headers: { authorization: `Bearer ${none}` } },
      invalidToken,
    ],
    [
      'another scheme',
      { url: '/api/v1/records', headers: { authorization: 'Basic YTpi' } },
      bearer,
    ],
    [
      'an unknown session',
      { url: '/api/v1/records', headers: { cookie: 'recordhub.session_token=a.b' } },
      bearer,
    ],
    ['the snapshot', { url: '/dashboard/realtime', headers: SCRIPT }, cookie],
    [
      'the snapshot with a token, which it does not accept',
      { url: '/dashboard/realtime', headers: { authorization: `Bearer ${none}` } },
      cookie,
    ],
    ['the events', { url: '/dashboard/events' }, cookie],
    [
      'a sign-in with a wrong password',
      {
        method: 'POST',
        url: '/api/auth/sign-in/email',
        body: { email: EMAIL, password: 'a wrong password' },
      },
      cookie,
    ],
    [
      'a code without a password before it',
      { method: 'POST', url: '/api/auth/two-factor/verify-totp', body: { code: '123456' } },
      cookie,
    ],
    [
      'a recovery code without a password before it',
      {
        method: 'POST',
        url: '/api/auth/two-factor/verify-backup-code',
        body: { code: 'aaaaa-bbbbb' },
      },
      cookie,
    ],
  ]
  for (const [what, request, challenge] of challenges) {
    test(`${what} returns 401 with WWW-Authenticate`, async () => {
      const response = await hub.send(request)
      assert.equal(response.status, 401, response.text)
      assert.equal(response.header('www-authenticate'), challenge)
      assert.match(response.header('content-type'), /^application\/json/)
    })
  }

  test('a token and auto-sync do not depend on the percent-encoding of the URL', async () => {
    const authorization = hub.authorization('viewer')
    const read = await hub.send({ url: '/%61pi/v1/records', headers: { authorization } })
    assert.equal(read.status, 200, read.text)
    const url = '/dashboard/auto%2Dsync'
    const headers = { origin: 'https://evil.example' }
    assert.equal((await hub.send({ method: 'POST', url, headers })).status, 200)
  })

  test('only 401 responses have WWW-Authenticate, and Basic only for feed readers', async () => {
    for (const { method, url, name } of ROUTES.filter(({ access }) => requiresCaller(access))) {
      const response = await hub.send({ method, url, headers: SCRIPT })
      const challenge = response.header('www-authenticate')
      assert.equal(response.status === 401, challenge !== '', name)
      const isFeed = url === '/api/v1/alerts/feed'
      assert.equal(/basic|digest|negotiate/i.test(challenge), isFeed, name)
    }
  })

  test('responses with 200, 302, 403 and 419 have no WWW-Authenticate', async () => {
    const authorization = hub.authorization('viewer')
    const responses: [number, HubRequest][] = [
      [302, { url: '/dashboard' }],
      [403, { method: 'POST', url: '/api/v1/pulls', headers: { authorization } }],
      // A valid token has no session.
      [403, { url: '/api/v1/session', headers: { authorization } }],
      [419, { method: 'POST', url: PULL_ALL }],
      [200, { url: '/healthz' }],
      [200, { url: '/readyz' }],
    ]
    for (const [status, request] of responses) {
      const response = await hub.send(request)
      assert.deepEqual([response.status, response.header('www-authenticate')], [status, ''])
    }
  })

  test('an endpoint below /dashboard with a trailing slash returns 404 as JSON, not the page', async () => {
    const { cookie } = mine
    for (const path of [PULL_ALL, AUTO_SYNC, '/dashboard/realtime', '/dashboard/events']) {
      for (const method of ['GET', 'POST'] as const) {
        for (const url of [`${path}/`, `${path}//?x=1`]) {
          expectError(await hub.send({ method, url, headers: { cookie } }), 404, 'not_found')
        }
      }
    }
    const page = await hub.send({ url: '/dashboard/platforms/', headers: { cookie } })
    assert.equal(page.status, 200)
  })

  for (const url of [PULL_ALL, AUTO_SYNC]) {
    for (const [client, headersOf] of [
      ['an anonymous client', () => ({})],
      ['an operator', () => ({ cookie: mine.cookie })],
    ] as const) {
      test(`GET ${url} by ${client} returns 405 with Allow: POST, not the page`, async () => {
        const request = { url, headers: headersOf() }
        const script = await expectScriptError(request, 405, 'method_not_allowed')
        const browser = await expectErrorPage(request, 405)
        const head = await hub.send({ ...request, method: 'HEAD' })
        assert.equal(head.status, 405)
        for (const response of [script, browser, head]) {
          assert.equal(response.header('allow'), 'POST')
        }
      })
    }
  }

  test('every path returns 405 for methods that it does not accept and lists the others in Allow', async () => {
    const paths = Map.groupBy(
      ROUTES.filter(({ pattern }) => !pattern.includes('*')),
      ({ pattern }) => pattern,
    )
    for (const [pattern, routes] of paths) {
      const accepted = new Set<Method>(routes.map(({ method }) => method))
      if (accepted.has('GET') && !STREAMS.includes(pattern)) accepted.add('HEAD')
      for (const method of METHODS.filter((one) => !accepted.has(one))) {
        for (const headers of [{}, { cookie: mine.cookie }]) {
          const response = await hub.send({ method, url: routes[0]?.url ?? '', headers })
          assert.equal(response.status, 405, `${method} ${pattern}: ${response.text}`)
          const allowed = response.header('allow').split(', ')
          assert.deepEqual(new Set(allowed), accepted, `${method} ${pattern}`)
          if (method !== 'HEAD') expectError(response, 405, 'method_not_allowed')
        }
      }
    }
  })

  test('a path of the page accepts GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      const response = await hub.send({ method, url: '/dashboard/records', headers: SCRIPT })
      expectError(response, 405, 'method_not_allowed')
      assert.equal(response.header('allow'), 'GET, HEAD')
    }
  })

  test('a path with a parameter of 1000 characters also returns 405', async () => {
    const url = `/api/v1/platforms/1/modules/${'x'.repeat(1000)}/records`
    const response = await hub.send({ method: 'PUT', url })
    expectError(response, 405, 'method_not_allowed')
    assert.equal(response.header('allow'), 'GET, HEAD, DELETE')
  })

  for (const url of [
    '/api/unknown',
    '/api/v1/unknown',
    '/api/v1/platforms/1/unknown',
    '/api/webhook/unknown',
    '/api/auth/sign-up/email',
    '/api/auth/get-session',
  ]) {
    test(`${url} returns 404 as JSON for any method, even to a browser with a session`, async () => {
      for (const method of METHODS.filter((one) => one !== 'HEAD')) {
        for (const headers of [SCRIPT, { ...BROWSER, cookie: mine.cookie }]) {
          expectError(await hub.send({ method, url, headers }), 404, 'not_found')
        }
      }
    })
  }
})
