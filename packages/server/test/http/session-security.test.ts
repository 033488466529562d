/** The end of sessions, and the protection of their cookies and requests (OWASP ASVS 5.0, V3 and V7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectError, expectObject } from '../helpers/hub/response.ts'
import { cookieOf, type Session } from '../helpers/operator.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { rounds } from '../helpers/time/tier.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BOB = 'bob@example.org'

/** Starts a hub whose clock runs in real time and can be advanced by the test. */
async function startHubWithClock(engine: StorageEngine, env: Record<string, string> = {}) {
  let ahead = 0
  const clock = { now: () => new Date(Date.now() + ahead) }
  // The event stream would not end.
  const environment = { HUB_BROADCAST: 'off', ...env }
  const hub = await startTestHub(engine, { withOperator: true, clock, env: environment })
  const advance = (ms: number) => {
    ahead += ms
  }
  return { hub, advance }
}

const isOpen = async (hub: TestHub, { headers }: Pick<Session, 'headers'>) =>
  (await hub.send({ url: '/dashboard/realtime', headers })).status === 200

describeOnEngines('the end of a session', (engine) => {
  test('a session ends after HUB_SESSION_IDLE_MINUTES without a request', async () => {
    const { hub, advance } = await startHubWithClock(engine, { HUB_SESSION_IDLE_MINUTES: '30' })
    await using _ = hub
    const session = await hub.signIn()
    for (let round = 0; round < 3; round++) {
      advance(25 * MINUTE)
      assert.equal((await hub.callAs(session, 'GET', '/api/v1/account')).status, 200)
    }
    advance(31 * MINUTE)
    const late = await hub.callAs(session, 'GET', '/api/v1/account')
    expectError(late, 401, 'not_signed_in')
    const post = { method: 'POST', url: '/dashboard/pull-all-existing-records' } as const
    const action = await hub.send({ ...post, headers: session.headers })
    expectError(action, 419, 'session_or_token_invalid')
  })

  test('a clock that was ahead for a while does not extend a session', async () => {
    const { hub, advance } = await startHubWithClock(engine)
    await using _ = hub
    const [used, idle] = [await hub.signIn(), await hub.signIn()]
    advance(6 * HOUR)
    for (const session of [used, idle]) {
      assert.equal((await hub.callAs(session, 'GET', '/api/v1/account')).status, 200)
    }
    advance(-6 * HOUR)
    assert.equal((await hub.callAs(used, 'GET', '/api/v1/account')).status, 200)
    advance(9 * HOUR)
    expectError(await hub.callAs(used, 'GET', '/api/v1/account'), 401, 'not_signed_in')
    advance(-15 * HOUR)
    expectError(await hub.callAs(idle, 'GET', '/api/v1/account'), 401, 'not_signed_in')
  })

  test('automatic requests of an unattended page do not extend a session', async () => {
    const { hub, advance } = await startHubWithClock(engine)
    await using _ = hub
    const session = await hub.signIn()
    const unattended = { headers: { ...session.headers, 'x-unattended': '1' } }
    for (let hour = 0; hour < 8; hour++) {
      advance(HOUR - MINUTE)
      assert.ok(await isOpen(hub, session))
      assert.equal((await hub.callAs(unattended, 'GET', '/api/v1/activity')).status, 200)
      const events = await hub.send({ url: '/dashboard/events', headers: session.headers })
      assert.equal(events.status, 404)
    }
    advance(9 * MINUTE)
    assert.ok(!(await isOpen(hub, session)))
  })

  test('a session ends after HUB_SESSION_DAYS, regardless of its activity', async () => {
    const { hub, advance } = await startHubWithClock(engine, { HUB_SESSION_DAYS: '2' })
    await using _ = hub
    const session = await hub.signIn()
    for (let hours = 0; hours < 42; hours += 6) {
      advance(6 * HOUR)
      assert.equal((await hub.callAs(session, 'GET', '/api/v1/account')).status, 200)
    }
    advance(7 * HOUR)
    expectError(await hub.callAs(session, 'GET', '/api/v1/account'), 401, 'not_signed_in')
  })

  test('a new role or a disabled account ends a session, and enabling the account does not restore it', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const id = await hub.addOperator(BOB, 'viewer')
    const admin = await hub.signIn()
    const bob = await hub.signIn(BOB)
    const change = (body: object) =>
      hub.callAs(admin, 'PATCH', `/api/v1/operators/${id}`, { ...body, password: PASSWORD })
    expectObject(await change({ role: 'viewer' }), 200)
    assert.ok(await isOpen(hub, bob), 'the role is the same')
    expectObject(await change({ role: 'operator' }), 200)
    assert.ok(!(await isOpen(hub, bob)))
    const again = await hub.signIn(BOB)
    assert.notEqual(again.cookie, bob.cookie)
    expectObject(await change({ disabled: true }), 200)
    assert.ok(!(await isOpen(hub, again)))
    expectObject(await change({ disabled: false }), 200)
    for (const old of [bob, again]) assert.ok(!(await isOpen(hub, old)))
    assert.ok(await isOpen(hub, admin))
  })

  test('each sign-in creates a new session, regardless of the cookies of the request', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const first = await hub.signIn()
    const response = await hub.sendSignIn(EMAIL, PASSWORD, { cookie: first.cookie })
    assert.equal(response.status, 200)
    assert.notEqual(cookieOf(response), first.cookie)
    assert.equal(await hub.countRows('operator_sessions'), 2)
    const fixed = { cookie: 'recordhub.session_token=chosen.by-attacker' }
    const chosen = await hub.sendSignIn(EMAIL, PASSWORD, fixed)
    assert.doesNotMatch(cookieOf(chosen), /chosen/)
  })
})

describeOnEngines('the protection of a session', (engine) => {
  test('behind TLS the session cookie is bound to this host, and responses have HSTS', async () => {
    const env = { HUB_PUBLIC_URL: 'https://hub.example.org' }
    await using hub = await startTestHub(engine, { withOperator: true, env })
    const { cookies } = await hub.sendSignIn(EMAIL)
    const [session] = cookies.filter((cookie) => cookie.includes('session_token'))
    assert.match(session ?? '', /^__Host-recordhub\.session_token=/)
    assert.match(session ?? '', /; Secure/i)
    assert.doesNotMatch(session ?? '', /; Domain=/i)
    const page = await hub.send({ url: '/sign-in' })
    assert.match(page.header('strict-transport-security'), /max-age=\d{8}/)
    const unprefixed = { cookie: cookieOf({ ...page, cookies }).replaceAll('__Host-', '') }
    assert.equal((await hub.send({ url: '/dashboard', headers: unprefixed })).status, 302)
  })

  test('every response to a browser has the security headers', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const { headers } = await hub.signIn()
    for (const url of ['/sign-in', '/dashboard', '/api/v1/records', '/api/v1/none', '/docs']) {
      const response = await hub.send({ url, headers })
      assert.equal(response.header('strict-transport-security'), '', 'without TLS there is no HSTS')
      for (const [name, value] of [
        ['x-content-type-options', /^nosniff$/],
        ['referrer-policy', /^no-referrer$/],
        ['x-frame-options', /^DENY$/],
        ['cross-origin-opener-policy', /^same-origin$/],
        ['cross-origin-resource-policy', /^same-origin$/],
        ['permissions-policy', /camera=\(\)/],
        ['cache-control', url === '/docs' ? /./ : /no-store/],
        ['content-security-policy', /frame-ancestors 'none'/],
      ] as const) {
        if (url === '/api/v1/none' && !/type-options/.test(name)) continue
        assert.match(response.header(name), value, `${name} of ${url}`)
      }
    }
  })

  test('a request that is cross-site by its Sec-Fetch-Site changes nothing, even without an Origin', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const session = await hub.signIn()
    const url = '/api/v1/tokens'
    const body = { name: 'x', role: 'viewer', password: PASSWORD }
    const before = await hub.countRows('api_tokens')
    for (const site of ['cross-site', 'same-site', 'made-up']) {
      const headers = { ...session.headers, 'sec-fetch-site': site }
      const response = await hub.callAs({ headers }, 'POST', url, body)
      expectError(response, 403, 'origin_not_allowed')
    }
    assert.equal(await hub.countRows('api_tokens'), before)
    for (const site of ['same-origin', 'none']) {
      const headers = { ...session.headers, 'sec-fetch-site': site }
      const name = `from ${site}`
      expectObject(await hub.callAs({ headers }, 'POST', url, { ...body, name }), 201)
    }
  })

  /** The setting, and the addresses of the client for each of `chains`. */
  const proxies = [
    ['off', ['127.0.0.1', '127.0.0.1', '127.0.0.1']],
    ['on', ['203.0.113.9', '203.0.113.9', '127.0.0.1']],
    ['2', ['198.51.100.7', '2001:db8::7', '127.0.0.1']],
    ['127.0.0.1,203.0.113.0/24', ['198.51.100.7', '2001:db8::7', '127.0.0.1']],
    ['10.0.0.0/8', ['127.0.0.1', '127.0.0.1', '127.0.0.1']],
    ['1', ['203.0.113.9', '203.0.113.9', '127.0.0.1']],
    ['127.0.0.0/8', ['203.0.113.9', '203.0.113.9', '127.0.0.1']],
  ] as const
  const chains = [
    '192.0.2.66, 198.51.100.7, 203.0.113.9',
    '192.0.2.66:1, "[2001:db8::7%eth0]:49152", 203.0.113.9:50123',
    '192.0.2.66, 198.51.100.7, unknown',
  ]
  for (const [setting, expected] of proxies.slice(0, rounds(5, proxies.length))) {
    test(`with HUB_TRUST_PROXY=${setting} the client address behind a chain of proxies is one of ${expected.join(', ')}`, async () => {
      const env = { HUB_TRUST_PROXY: setting }
      await using hub = await startTestHub(engine, { withOperator: true, env })
      for (const chain of chains) {
        await hub.sendSignIn(EMAIL, PASSWORD, { 'x-forwarded-for': chain })
      }
      const entries = await hub.audit('&action=session.begin')
      assert.deepEqual(entries.map((entry) => entry['address']).reverse(), expected)
    })
  }
})
