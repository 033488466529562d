/** Signing in, sessions, and the first operator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { expectAbsent, expectError, expectMembers, expectObject } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { cookieOf } from '../helpers/operator.ts'

const html = { accept: 'text/html' }

describeHub('signing in', { withOperator: true }, (hub, engine) => {
  test('an operator signs in, and the session returns the CSRF token of the dashboard', async () => {
    const { csrf, cookie } = await hub.signIn()
    const response = await hub.call('GET /api/v1/session', { as: { headers: { cookie } } })
    const { operator, csrf_token, required_second_factor_step } = response
    assert.deepEqual([csrf_token, required_second_factor_step], [csrf, null])
    assert.deepEqual([operator.email, operator.role], [EMAIL, 'admin'])
  })

  test('the session cookie is HttpOnly and SameSite=Lax', async () => {
    const { cookies } = await hub.sendSignIn(EMAIL)
    assert.ok(cookies.length > 0)
    for (const cookie of cookies) {
      assert.match(cookie, /; HttpOnly/i)
      assert.match(cookie, /; SameSite=Lax/i)
      assert.match(cookie, /; Path=\//i)
    }
  })

  test('behind https the session cookie is Secure', async () => {
    const env = { HUB_PUBLIC_URL: 'https://hub.example.org' }
    await using secure = await startTestHub(engine, { withOperator: true, env })
    const { cookies } = await secure.sendSignIn(EMAIL)
    assert.ok(cookies.length > 0)
    for (const cookie of cookies) assert.match(cookie, /; Secure/i)
    const headers = { ...html, cookie: cookieOf({ ...(await secure.sendSignIn(EMAIL)) }) }
    assert.equal((await secure.send({ url: '/dashboard', headers })).status, 200)
  })

  test('a wrong password and an unknown e-mail return the same 401 without a cookie', async () => {
    const wrong = await hub.sendSignIn(EMAIL, 'a wrong password')
    const unknown = await hub.sendSignIn('nobody@example.org')

    for (const response of [wrong, unknown]) {
      assert.equal(response.status, 401)
      assert.deepEqual(response.cookies, [])
      expectAbsent([PASSWORD], [response.text])
    }
    const withoutRequestId = (text: string) =>
      JSON.stringify({ ...Object(JSON.parse(text)), request_id: '' })
    assert.equal(withoutRequestId(wrong.text), withoutRequestId(unknown.text))
  })

  test('without a session the dashboard redirects to the sign-in', async () => {
    for (const headers of [html, {}, { ...html, cookie: 'recordhub.session_token=made.up' }]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const response = await hub.send({ method, url: '/dashboard', headers })
        assert.deepEqual([response.status, response.header('location')], [302, '/sign-in'])
        assert.doesNotMatch(response.text, /csrf-token/)
      }
    }
    const root = await hub.send({ url: '/' })
    assert.deepEqual([root.status, root.header('location')], [302, '/dashboard'])
    const page = await hub.send({ url: '/sign-in', headers: html })
    assert.equal(page.status, 200)
    assert.match(page.header('content-type'), /^text\/html/)
  })

  for (const url of ['/dashboard/realtime', '/api/v1/platforms', '/api/v1/session']) {
    test(`GET and HEAD of ${url} without a session return 401`, async () => {
      for (const method of ['GET', 'HEAD'] as const) {
        assert.equal((await hub.send({ method, url })).status, 401)
      }
    })
  }

  test('a sign-out ends the session, and its cookie is no longer accepted', async () => {
    const { headers, cookie } = await hub.signIn()
    const out = await hub.send({ method: 'POST', url: '/api/auth/sign-out', headers, body: {} })
    assert.equal(out.status, 200)
    assert.equal(out.header('clear-site-data'), '"cache"')
    assert.equal((await hub.send({ url: '/dashboard', headers: { cookie } })).status, 302)
    const realtime = await hub.send({ url: '/dashboard/realtime', headers })
    expectError(realtime, 401, 'not_signed_in')
  })

  test('before the setup, the error of a sign-in says that no operator exists and where the setup link is', async () => {
    await using own = await startTestHub(engine)
    const response = await own.sendSignIn(EMAIL)
    assert.match(
      expectError(response, 403, 'operator_missing').message,
      /no operator.*setup link.*log/,
    )
  })

  test('a sign-in through a tunnel works with HUB_PUBLIC_URL, and without it names that setting', async (context) => {
    const printed = context.mock.method(console, 'error', () => undefined)
    const tunnel = { origin: 'https://hub.example', host: 'hub.example' }
    const { message } = expectError(
      await hub.sendSignIn(EMAIL, PASSWORD, tunnel),
      403,
      'invalid_origin',
    )
    assert.match(message, /https:\/\/hub\.example.*HUB_PUBLIC_URL/)
    assert.equal(printed.mock.callCount(), 0)
    const env = { HUB_PUBLIC_URL: 'https://hub.example' }
    await using own = await startTestHub(engine, { withOperator: true, env })
    assert.equal((await own.sendSignIn(EMAIL, PASSWORD, tunnel)).status, 200)
  })

  test('a tunnel that sends another Host works with HUB_PUBLIC_URL, and without it the error names that setting', async () => {
    const tunnel = { origin: 'https://hub.example', host: 'localhost:8080' }
    const { message } = expectError(
      await hub.sendSignIn(EMAIL, PASSWORD, tunnel),
      403,
      'origin_not_allowed',
    )
    assert.match(message, /https:\/\/hub\.example.*HUB_PUBLIC_URL/)
    const env = { HUB_PUBLIC_URL: 'https://hub.example' }
    await using own = await startTestHub(engine, { withOperator: true, env })
    const signedIn = await own.sendSignIn(EMAIL, PASSWORD, tunnel)
    assert.equal(signedIn.status, 200, signedIn.text)
    const { headers } = await own.sessionOf(signedIn)
    const signOut = { method: 'POST', url: '/api/auth/sign-out', body: {} } as const
    const otherSite = { ...headers, ...tunnel, origin: 'https://evil.example' }
    expectError(await own.send({ ...signOut, headers: otherSite }), 403, 'origin_not_allowed')
    const sameSite = { ...headers, ...tunnel }
    assert.equal((await own.send({ ...signOut, headers: sameSite })).status, 200)
  })

  test('an expired session returns 401', async () => {
    await using own = await startTestHub(engine, { withOperator: true })
    const { headers } = await own.signIn()
    const [row] = await own.sql('SELECT expires_at FROM operator_sessions')
    const past = new Date(Date.now() - 1000).toISOString()
    const then = typeof row?.['expires_at'] === 'number' ? Date.parse(past) : `'${past}'`
    await own.sql(`UPDATE operator_sessions SET expires_at = ${then}`)
    const response = await own.send({ url: '/api/v1/platforms', headers })
    expectError(response, 401, 'not_signed_in')
  })

  test('a sign-in from another origin is rejected', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const response = await hub.sendSignIn(EMAIL, PASSWORD, { origin, host: 'hub.example' })
      expectError(response, 403, 'origin_not_allowed')
      assert.deepEqual(response.cookies, [])
    }
    const own = { origin: 'http://hub.example', host: 'hub.example' }
    assert.equal((await hub.sendSignIn(EMAIL, PASSWORD, own)).status, 200)
  })

  for (const [method, path] of [
    ['POST', 'sign-up/email'],
    ['POST', 'request-password-reset'],
    ['POST', 'reset-password'],
    ['POST', 'change-password'],
    ['POST', 'change-email'],
    ['POST', 'update-user'],
    ['POST', 'delete-user'],
    ['GET', 'list-sessions'],
    ['GET', 'list-accounts'],
    ['POST', 'revoke-sessions'],
    ['POST', 'two-factor/enable'],
    ['POST', 'two-factor/disable'],
    ['POST', 'verify-password'],
    ['POST', 'passkey/delete-passkey'],
    ['GET', 'passkey/list-user-passkeys'],
    ['GET', 'passkey/generate-register-options'],
    ['POST', 'link-social'],
    ['POST', 'get-access-token'],
    ['GET', 'ok'],
    ['GET', 'error'],
    ['GET', 'reference'],
  ] as const) {
    test(`the path ${path} of Better Auth returns 404, signed in or not`, async () => {
      const { headers } = await signedIn(hub)
      const before = await hub.countRows('operators')
      const body = { email: 'eve@example.org', password: PASSWORD, name: 'Eve' }
      for (const sent of [{}, headers]) {
        const request = { method, url: `/api/auth/${path}`, headers: sent }
        const response = await hub.send(method === 'GET' ? request : { ...request, body })
        expectError(response, 404, 'not_found')
      }
      assert.equal(await hub.countRows('operators'), before)
    })
  }

  test('too many password attempts return 429, regardless of X-Forwarded-For', async () => {
    await using own = await startTestHub(engine, { withOperator: true })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const address = `192.0.2.${attempt}`
      const headers = { 'x-forwarded-for': address, 'x-recordhub-client-address': address }
      statuses.push((await own.sendSignIn(EMAIL, `a wrong password ${attempt}`, headers)).status)
    }
    assert.equal(statuses[0], 401)
    assert.equal(statuses.at(-1), 429)
    assert.equal((await own.sendSignIn(EMAIL)).status, 429)
  })
})

describeOnEngines('the first operator', (engine) => {
  const operator = { email: 'bea@example.org', name: 'Bea', password: PASSWORD }
  const setUp = (hub: TestHub, body: object) => hub.send({ method: 'POST', url: '/setup', body })
  const tokenOf = (hub: TestHub) => tokenOfLink(hub.setupLink ?? '')

  test('the printed setup link creates one admin, once', async () => {
    await using hub = await startTestHub(engine)
    const token = tokenOf(hub)
    assert.match(hub.setupLink ?? '', /^http:\/\/[^/]+\/setup#token=[\w-]{43}$/)
    const page = await hub.send({ url: '/setup', headers: html })
    assert.equal(page.status, 200)
    const signIn = async () => (await hub.send({ url: '/sign-in' })).text
    assert.match(await signIn(), /<meta name="operators" content="none">/)
    assert.ok(!(await signIn()).includes(token))
    expectMembers(expectObject(await setUp(hub, { token, ...operator }), 201), [
      'success',
      'message',
    ])
    const again = await setUp(hub, { token, ...operator, email: 'eve@example.org' })
    expectError(again, 409, 'operator_exists')
    assert.equal((await hub.send({ url: '/setup' })).status, 302)
    assert.match(await signIn(), /<meta name="operators" content="">/)
    assert.equal(await hub.countRows('operators'), 1)
    const { email, password } = operator
    const signedInNow = await hub.sendSignIn(email, password)
    assert.equal(signedInNow.status, 200)
    const headers = { cookie: cookieOf(signedInNow) }
    assert.match((await hub.send({ url: '/api/v1/session', headers })).text, /"role":"admin"/)
    expectAbsent([password, token], [hub.log()])
    await hub.restart()
    assert.equal(hub.setupLink, null)
    expectError(await setUp(hub, { token, ...operator }), 409, 'operator_exists')
  })

  test('a wrong token creates no operator', async () => {
    await using hub = await startTestHub(engine)
    for (const token of ['', 'x', `${tokenOf(hub)}x`, tokenOf(hub).slice(1)]) {
      expectError(await setUp(hub, { token, ...operator }), 403, 'setup_link_invalid')
    }
    assert.equal(await hub.countRows('operators'), 0)
  })

  test('a request from another origin creates no operator', async () => {
    await using hub = await startTestHub(engine)
    const response = await hub.send({
      method: 'POST',
      url: '/setup',
      headers: { origin: 'https://evil.example' },
      body: { token: tokenOf(hub), ...operator },
    })
    expectError(response, 403, 'origin_not_allowed')
    assert.equal(await hub.countRows('operators'), 0)
  })

  test('the setup link still works after a request with invalid data', async () => {
    await using hub = await startTestHub(engine)
    const token = tokenOf(hub)
    for (const wrong of [
      { password: 'short' },
      { password: 'x'.repeat(257) },
      { password: 'Qwerty 123456' },
      { password: 'recordhub-bea' },
      { email: 'bea' },
    ]) {
      const response = await setUp(hub, { token, ...operator, ...wrong })
      expectError(response, 422, 'invalid_operator')
    }
    expectError(await setUp(hub, { token, ...operator, role: 'admin' }), 400, 'invalid_request')
    const typed = { token, ...operator, email: 'Bea@Example.org' }
    expectObject(await setUp(hub, typed), 201)
    const [created] = await hub.audit(`&actor=${operator.email}`)
    assert.deepEqual(
      [created?.['action'], created?.['target']],
      ['operator.create_first', operator.email],
    )
  })

  test('of 20 simultaneous requests, only one creates an operator', async () => {
    await using hub = await startTestHub(engine)
    const token = tokenOf(hub)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        setUp(hub, { token, ...operator, email: `bea${index}@example.org` }),
      ),
    )
    const statuses = responses.map((response) => response.status).sort()
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
    assert.equal(await hub.countRows('operators'), 1)
  })
})

/** Shares one session among many tests, because sign-ins are limited. */
const sessions = new WeakMap<TestHub, Promise<Session>>()
function signedIn(hub: TestHub): Promise<Session> {
  const session = sessions.get(hub) ?? hub.signIn()
  sessions.set(hub, session)
  return session
}
