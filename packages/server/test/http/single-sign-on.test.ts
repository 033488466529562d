/** Single sign-on with an OpenID Connect provider: accepted and rejected sign-ins. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { startOidcProvider } from '../helpers/hub/oidc-provider.ts'
import {
  expectAbsent,
  expectError,
  expectObject,
  type TestResponse,
} from '../helpers/hub/response.ts'
import {
  beginSignOn,
  createAdjustableClock,
  followRedirects,
  PUBLIC_URL,
  SAME_ORIGIN_HEADERS,
  signOn,
  singleSignOnOptions,
  startHubWithSingleSignOn,
} from '../helpers/hub/single-sign-on.ts'
import { cookieOf } from '../helpers/operator.ts'
import { isDeep } from '../helpers/time/tier.ts'

async function expectRejected(hub: TestHub, response: TestResponse, error: string): Promise<void> {
  assert.equal(response.status, 302, response.text)
  const target = new URL(response.header('location'), PUBLIC_URL)
  assert.deepEqual([target.pathname, target.searchParams.get('error')], ['/sign-in', error])
  assert.ok(!response.cookies.some((cookie) => /session_token=[^;]/.test(cookie)))
  assert.equal(await hub.countRows('operator_sessions'), 0)
}

describeOnEngines('single sign-on', (engine) => {
  test('returns 404 if it is not configured', async () => {
    await using hub = await startTestHub(engine)
    expectError(await beginSignOn(hub), 404, 'not_found')
    expectError(await hub.send({ url: '/api/auth/callback/oidc?code=x' }), 404, 'not_found')
    const { single_sign_on } = await hub.call('GET /api/v1/single-sign-on')
    assert.equal(single_sign_on.configured, false)
  })

  test('signs in an invited operator with the role of the invitation', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    provider.setPerson({ email: 'sam@example.org', name: 'Sam' })
    const token = await hub.invite('sam@example.org', 'operator')
    const response = await signOn(hub)
    assert.deepEqual([response.status, response.header('location')], [302, '/dashboard'])
    const session = await hub.sessionOf(response)
    const { account } = await hub.call('GET /api/v1/account', { as: session })
    const { role, has_password, single_sign_on, name } = account
    assert.deepEqual([role, has_password, single_sign_on, name], ['operator', false, true, 'Sam'])
    expectError(await hub.readInvitation(token), 403, 'invitation_invalid')
    const audit = await hub.audit('&actor=sam@example.org')
    assert.deepEqual(
      audit.map((entry) => entry['action']),
      ['session.begin', 'operator.create'],
    )
    const stored = JSON.stringify(await hub.sql('SELECT * FROM operator_accounts'))
    assert.doesNotMatch(stored, /eyJ/, 'no token of the provider is stored')
    const again = await hub.sessionOf(await signOn(hub))
    assert.equal((await hub.callAs(again, 'GET', '/api/v1/account')).status, 200)
    assert.equal(await hub.countRows('operators'), 2)
  })

  test('signs in operators of the allowed domains with the default role, and no others', async () => {
    await using provider = await startOidcProvider()
    const env = { HUB_OIDC_DOMAINS: 'corp.example, corp2.example', HUB_OIDC_ROLE: 'viewer' }
    await using hub = await startHubWithSingleSignOn(engine, provider, env)
    for (const email of [
      'eve@evil.example',
      'eve@corp.example.evil.example',
      'eve@xcorp.example',
    ]) {
      provider.setPerson({ sub: email, email })
      await expectRejected(hub, await signOn(hub), 'not_invited')
    }
    provider.setPerson({ sub: 'unverified', email: 'uma@corp.example', email_verified: false })
    await expectRejected(hub, await signOn(hub), 'email_not_verified')
    const cora = { sub: 'cora', email: 'Cora@Corp.example', email_verified: true }
    provider.setPerson({ ...cora, name: 'Cora\u202e\nthe hub ' })
    const session = await hub.sessionOf(await signOn(hub))
    const { account } = await hub.call('GET /api/v1/account', { as: session })
    const { email, role, name } = account
    assert.deepEqual([email, role, name], ['cora@corp.example', 'viewer', 'Cora the hub'])
  })

  test('signs in an existing operator if the provider has verified the e-mail', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    provider.setPerson({ sub: 'thief', email: EMAIL, email_verified: false })
    await expectRejected(hub, await signOn(hub), 'account_not_linked')
    provider.setPerson({ sub: 'ann', email: EMAIL, email_verified: true })
    const session = await hub.sessionOf(await signOn(hub))
    const { account } = await hub.call('GET /api/v1/account', { as: session })
    const { role, has_password, single_sign_on } = account
    assert.deepEqual([role, has_password, single_sign_on], ['admin', true, true])
  })

  test('a disabled operator cannot sign in', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    await hub.addOperator('bob@example.org', 'viewer')
    await hub.sql(
      `UPDATE operators SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE email = 'bob@example.org'`,
    )
    provider.setPerson({ sub: 'bob', email: 'bob@example.org' })
    await expectRejected(hub, await signOn(hub), 'OPERATOR_DISABLED')
  })

  test('tokens of another audience, issuer or sign-in and expired tokens are rejected', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    provider.setPerson({ email: EMAIL })
    for (const claims of [
      { aud: 'another hub' },
      { iss: 'https://evil.example' },
      { nonce: 'another sign-in' },
      { exp: 1_000_000 },
    ]) {
      provider.overrideClaims(claims)
      const response = await signOn(hub)
      assert.equal(response.status, 302)
      assert.match(response.header('location'), /\/sign-in\?error=/)
      assert.equal(await hub.countRows('operator_sessions'), 0)
    }
  })

  test('a discovery document of another issuer is rejected and logged until it is correct', async () => {
    await using provider = await startOidcProvider()
    provider.setPerson({ email: EMAIL })
    const { clock, advance } = createAdjustableClock()
    const { issuer } = provider
    provider.overrideDiscovery({ issuer: 'https://evil.example' })
    await using hub = await startHubWithSingleSignOn(engine, provider, {}, clock)
    for (const wrong of [
      'https://evil.example',
      `${issuer}/realms/other`,
      `${issuer}//`,
      `${issuer}/?x`,
      issuer.replace('http:', 'https:'),
      issuer.replace('127.0.0.1', 'localhost'),
      [issuer],
    ]) {
      provider.overrideDiscovery({ issuer: wrong })
      provider.overrideClaims({ iss: wrong })
      advance()
      const begun = await beginSignOn(hub)
      expectError(begun, 502, 'sign_on_issuer_wrong')
      const message = `names the issuer ${wrong}, but HUB_OIDC_ISSUER is ${issuer}.`
      for (const text of [begun.text, hub.log()]) assert.ok(text.includes(message), message)
      assert.deepEqual(begun.cookies, [])
    }
    const line = `${issuer}/\n\u202e${'x'.repeat(9999)}`
    provider.overrideDiscovery({ issuer: line })
    advance()
    const long = await beginSignOn(hub)
    assert.ok(long.text.length < 1000 && !long.text.includes('\u202e'), long.text)
    provider.overrideDiscovery({ issuer: undefined })
    advance()
    expectError(await beginSignOn(hub), 503, 'sign_on_unavailable')
    provider.overrideDiscovery({})
    provider.overrideClaims({})
    advance()
    await hub.sessionOf(await signOn(hub))
  })

  test('a callback is rejected if the discovery document of the node names another issuer', async () => {
    await using provider = await startOidcProvider()
    provider.setPerson({ email: EMAIL })
    await using hub = await startHubWithSingleSignOn(engine, provider)
    const begun = await beginSignOn(hub)
    provider.overrideDiscovery({ issuer: 'https://evil.example' })
    provider.overrideClaims({ iss: 'https://evil.example' })
    await hub.restart(singleSignOnOptions(provider))
    await expectRejected(hub, await followRedirects(hub, begun), 'sign_on_issuer_wrong')
  })

  if (isDeep)
    test('the issuer may be set as the URL of its discovery document or with a trailing slash', async () => {
      await using provider = await startOidcProvider()
      provider.setPerson({ email: EMAIL })
      const { issuer } = provider
      const HUB_OIDC_ISSUER = `${issuer}/.well-known/openid-configuration`
      await using hub = await startHubWithSingleSignOn(engine, provider, { HUB_OIDC_ISSUER })
      await hub.sessionOf(await signOn(hub))
      provider.overrideDiscovery({ issuer: `${issuer}/` })
      await hub.restart(singleSignOnOptions(provider, { HUB_OIDC_ISSUER: `${issuer}/` }))
      const other = await signOn(hub)
      assert.match(other.header('location'), /\/sign-in\?error=/, 'its tokens name another issuer')
      provider.overrideClaims({ iss: `${issuer}/` })
      await hub.sessionOf(await signOn(hub))
    })

  test('a callback with an unknown state or from another browser is rejected', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    provider.setPerson({ email: EMAIL })
    const { url } = expectObject(await beginSignOn(hub), 200)
    const sentBack = await fetch(String(url), { redirect: 'manual' })
    const back = new URL(sentBack.headers.get('location') ?? '')
    const other = await beginSignOn(hub)
    for (const cookie of ['', cookieOf(other)]) {
      const headers = { host: 'localhost', cookie }
      const response = await hub.send({ url: back.pathname + back.search, headers })
      assert.match(response.header('location'), /\/sign-in\?error=/)
    }
    const unknown = await hub.send({ url: '/api/auth/callback/oidc?code=x&state=y' })
    assert.match(unknown.header('location'), /\/sign-in\?error=/)
    assert.equal(await hub.countRows('operator_sessions'), 0)
  })

  test('it redirects only to the dashboard', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    for (const target of ['https://evil.example', '//evil.example', '/dashboardx', '/api/v1/x']) {
      expectError(await beginSignOn(hub, target), 400, 'invalid_request')
    }
    const { url } = expectObject(await beginSignOn(hub, '/dashboard/records?q=a'), 200)
    const params = new URL(String(url)).searchParams
    assert.equal(params.get('redirect_uri'), `${PUBLIC_URL}/api/auth/callback/oidc`)
    assert.equal(params.get('code_challenge_method'), 'S256')
  })

  test('sign-ins work again when the provider is back, without a restart of the hub', async () => {
    const stopped = await startOidcProvider()
    await stopped[Symbol.asyncDispose]()
    const { clock, advance } = createAdjustableClock()
    await using hub = await startHubWithSingleSignOn(engine, stopped, {}, clock)
    const unavailable = await beginSignOn(hub)
    expectError(unavailable, 503, 'sign_on_unavailable')
    assert.equal(unavailable.header('retry-after'), '5')
    await using provider = await startOidcProvider(stopped)
    expectError(await beginSignOn(hub), 503, 'sign_on_unavailable')
    advance()
    provider.setPerson({ email: EMAIL })
    const session = await hub.sessionOf(await signOn(hub))
    assert.equal((await hub.callAs(session, 'GET', '/api/v1/account')).status, 200)
  })

  test('a callback is accepted only once', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    provider.setPerson({ email: EMAIL })
    const begun = await beginSignOn(hub)
    const { url } = expectObject(begun, 200)
    const sentBack = await fetch(String(url), { redirect: 'manual' })
    const back = new URL(sentBack.headers.get('location') ?? '')
    const headers = { host: 'localhost', cookie: cookieOf(begun) }
    const request = { url: back.pathname + back.search, headers }
    await hub.sessionOf(await hub.send(request))
    const again = await hub.send(request)
    assert.match(again.header('location'), /\/sign-in\?error=/)
    assert.ok(!again.cookies.some((cookie) => /session_token=[^;]/.test(cookie)))
    assert.equal(await hub.countRows('operator_sessions'), 1)
  })

  test('the client secret is in no response or log, and passwords work while the provider is unreachable', async () => {
    const provider = await startOidcProvider()
    await provider[Symbol.asyncDispose]()
    await using hub = await startHubWithSingleSignOn(engine, provider)
    const response = await hub.sendSignIn(EMAIL, PASSWORD, SAME_ORIGIN_HEADERS)
    assert.equal(response.status, 200)
    for (let round = 0; round < 2; round++) {
      expectError(await beginSignOn(hub), 503, 'sign_on_unavailable')
    }
    const shown = await hub.call('GET /api/v1/single-sign-on')
    assert.equal(shown.single_sign_on.redirect_uri, `${PUBLIC_URL}/api/auth/callback/oidc`)
    const options = await hub.send({ url: '/api/v1/sign-in-options' })
    assert.deepEqual(expectObject(options, 200)['single_sign_on'], [
      { id: 'oidc', name: 'Example' },
    ])
    expectAbsent([provider.clientSecret], [JSON.stringify(shown), options.text, hub.log()])
    expectAbsent([provider.issuer, provider.clientId.padEnd(12, '.')], [options.text])
  })
})
