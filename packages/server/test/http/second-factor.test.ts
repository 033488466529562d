/** Access with `HUB_REQUIRE_SECOND_FACTOR`: a password alone only allows the set-up of a second factor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { startOidcProvider } from '../helpers/hub/oidc-provider.ts'
import { expectError, expectObject } from '../helpers/hub/response.ts'
import {
  ACCOUNT,
  addPasskey,
  beginPasskeySignIn,
  enableSecondFactor,
  finishPasskeySignIn,
  ORIGIN,
  sendCode,
} from '../helpers/hub/second-factors.ts'
import { signOn, startHubWithSingleSignOn } from '../helpers/hub/single-sign-on.ts'
import { totpCode } from '../helpers/hub/totp.ts'
import type { Session } from '../helpers/operator.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { isDeep } from '../helpers/time/tier.ts'

const REQUIRED = { HUB_REQUIRE_SECOND_FACTOR: 'on' }
const PASSWORD_BODY = { password: PASSWORD }
const BOB = 'bob@example.org'

type Headers = Pick<Session, 'headers'>

const listPlatforms = (hub: TestHub, session: Headers) =>
  hub.callAs(session, 'GET', '/api/v1/platforms')

async function requiredStepOf(hub: TestHub, session: Headers) {
  return (await hub.call('GET /api/v1/session', { as: session })).required_second_factor_step
}

async function expectAccess(hub: TestHub, session: Headers): Promise<void> {
  expectObject(await listPlatforms(hub, session), 200)
  expectObject(await hub.callAs(session, 'GET', '/dashboard/realtime'), 200)
  assert.equal(await requiredStepOf(hub, session), null)
}

const startHub = (engine: StorageEngine) =>
  startTestHub(engine, { withOperator: true, env: REQUIRED })

describeHub('a required second factor', { env: REQUIRED }, (hub) => {
  let admins = 0
  /** Adds an admin who has only a password, and signs in. */
  async function addPasswordOnlyAdmin() {
    admins += 1
    const email = `${admins}@example.org`
    const id = await hub.addOperator(email, 'admin')
    return { id, email, session: await hub.signIn(email) }
  }

  test('with only a password, data routes return 403 and the page for the set-up is shown', async () => {
    const { session } = await addPasswordOnlyAdmin()
    const { headers } = session
    for (const url of ['/dashboard/realtime', '/dashboard/events', '/api/v1/records/export']) {
      expectError(await hub.send({ url, headers }), 403, 'second_factor_required')
    }
    const head = await hub.send({ method: 'HEAD', url: '/dashboard/realtime', headers })
    assert.equal(head.status, 403)
    const page = await hub.send({
      url: '/dashboard/records?q=a',
      headers: { ...headers, accept: 'text/html' },
    })
    assert.equal(page.status, 200)
    assert.equal(await requiredStepOf(hub, session), 'set_up')
  })

  test('the set-up with only a password still requires the CSRF token', async () => {
    const { session } = await addPasswordOnlyAdmin()
    const { cookie } = session
    const url = `${ACCOUNT}/second-factor`
    const response = await hub.send({ method: 'POST', url, headers: { cookie }, body: {} })
    expectError(response, 419, 'session_or_token_invalid')
  })

  test('setting up codes gives this session access at once, and other sessions none', async () => {
    const { email, session } = await addPasswordOnlyAdmin()
    const other = await hub.signIn(email)
    const setUp = await enableSecondFactor(hub, session)
    await expectAccess(hub, setUp.session)
    expectError(await listPlatforms(hub, session), 401, 'not_signed_in')

    expectError(await listPlatforms(hub, other), 403, 'second_factor_unused')
    assert.equal(await requiredStepOf(hub, other), 'sign_in')
    for (const [path, body] of [
      ['second-factor', PASSWORD_BODY],
      ['second-factor/confirm', { code: totpCode(setUp.uri, 1) }],
      ['passkeys/options', PASSWORD_BODY],
      ['passkeys', { name: 'x', response: {} }],
    ] as const) {
      const response = await hub.callAs(other, 'POST', `${ACCOUNT}/${path}`, body)
      expectError(response, 403, 'second_factor_unused')
    }
    const out = await hub.callAs(other, 'POST', '/api/auth/sign-out', {})
    assert.equal(out.status, 200)

    const byCode = async (path: string, code: string) =>
      hub.sessionOf(await sendCode(hub, await hub.sendSignIn(email), path, code))
    await expectAccess(hub, await byCode('verify-totp', totpCode(setUp.uri, 1)))
    await expectAccess(hub, await byCode('verify-backup-code', setUp.codes[0] ?? ''))
  })

  test('an unconfirmed set-up gives no access', async () => {
    const { session } = await addPasswordOnlyAdmin()
    const url = `${ACCOUNT}/second-factor`
    expectObject(await hub.callAs(session, 'POST', url, PASSWORD_BODY), 200)
    const wrong = await hub.callAs(session, 'POST', `${url}/confirm`, { code: '000000' })
    expectError(wrong, 422, 'code_wrong')
    expectError(await listPlatforms(hub, session), 403, 'second_factor_required')
  })

  test('adding a passkey gives this session access at once, and a later password sign-in none', async () => {
    const { email, session } = await addPasswordOnlyAdmin()
    const unverified = await addPasskey(hub, session, { userVerified: false })
    expectError(unverified.added, 422, 'sign_in_setting_rejected')
    expectError(await listPlatforms(hub, session), 403, 'second_factor_required')
    const { passkey, added } = await addPasskey(hub, session)
    expectObject(added, 201)
    await expectAccess(hub, session)

    const thief = await hub.signIn(email)
    const setUp = await hub.callAs(thief, 'POST', `${ACCOUNT}/second-factor`, PASSWORD_BODY)
    expectError(setUp, 403, 'second_factor_unused')
    const { options, cookie } = await beginPasskeySignIn(hub)
    const signedIn = await finishPasskeySignIn(hub, cookie, passkey.sign(options, ORIGIN))
    await expectAccess(hub, await hub.sessionOf(signedIn))
  })

  test('the new session after a password change has the access of the old one', async () => {
    const { session } = await addPasswordOnlyAdmin()
    const { session: strong } = await enableSecondFactor(hub, session)
    const body = { current_password: PASSWORD, new_password: `${PASSWORD} again` }
    const changed = await hub.callAs(strong, 'POST', `${ACCOUNT}/password`, body)
    await expectAccess(hub, await hub.sessionOf(changed))
  })

  test('the last second factor cannot be removed, one of two can', async () => {
    const { session } = await addPasswordOnlyAdmin()
    const { session: strong } = await enableSecondFactor(hub, session)
    const disable = (session: Headers) =>
      hub.callAs(session, 'DELETE', `${ACCOUNT}/second-factor`, PASSWORD_BODY)
    expectError(await disable(strong), 409, 'last_second_factor')
    expectObject((await addPasskey(hub, strong)).added, 201)
    const without = await hub.sessionOf(await disable(strong))
    await expectAccess(hub, without)
    const { passkeys } = await hub.call('GET /api/v1/account/passkeys', { as: without })
    const url = `${ACCOUNT}/passkeys/${passkeys[0]?.id}`
    const removed = await hub.callAs(without, 'DELETE', url, PASSWORD_BODY)
    expectError(removed, 409, 'last_second_factor')
    await enableSecondFactor(hub, without)
  })

  test('an admin can remove lost second factors, passkeys included, and a new set-up is required', async () => {
    const { id, email, session } = await addPasswordOnlyAdmin()
    expectObject((await addPasskey(hub, session)).added, 201)
    await hub.callAs('access', 'DELETE', `/api/v1/operators/${id}/second-factor`)
    expectError(await listPlatforms(hub, session), 401, 'not_signed_in')
    assert.equal(await requiredStepOf(hub, await hub.signIn(email)), 'set_up')
  })

  test('API tokens are not affected', async () => {
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      expectObject(await hub.callAs(role, 'GET', '/api/v1/platforms'), 200)
    }
  })
})

describeOnEngines('a second factor that becomes required', (engine) => {
  test('single sign-on is sufficient, and an operator who used it gets no access by password', async () => {
    await using provider = await startOidcProvider()
    await using hub = await startHubWithSingleSignOn(engine, provider, REQUIRED)
    provider.setPerson({ email: EMAIL })
    const before = await hub.signIn()
    assert.equal(await requiredStepOf(hub, before), 'set_up')
    await expectAccess(hub, await hub.sessionOf(await signOn(hub)))
    assert.equal(await requiredStepOf(hub, before), 'sign_in')
    // Without the provider the operator can set up a second factor instead.
    await hub.restart({ env: REQUIRED })
    assert.equal(await requiredStepOf(hub, before), 'set_up')
  })

  test('existing sessions retain their access only if they have used a second factor', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await hub.addOperator(BOB, 'viewer')
    const weak = await hub.signIn()
    const { session: strong } = await enableSecondFactor(hub, await hub.signIn(BOB))
    const passkeyed = await hub.signIn()
    await expectAccess(hub, weak)
    await hub.restart({ env: REQUIRED })
    await expectAccess(hub, strong)
    expectError(await listPlatforms(hub, weak), 403, 'second_factor_required')
    expectObject((await addPasskey(hub, passkeyed)).added, 201)
    await hub.restart()
    await expectAccess(hub, weak)
    await hub.restart({ env: REQUIRED })
    await expectAccess(hub, passkeyed)
    expectError(await listPlatforms(hub, weak), 403, 'second_factor_unused')
  })

  test('an admin who has one can require it of everyone, at once, and take that back', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await hub.addOperator(BOB, 'admin')
    const weak = await hub.signIn()
    const { session: strong } = await enableSecondFactor(hub, await hub.signIn(BOB))
    const require = (as: Headers | 'access', value: 'on' | 'off') =>
      hub.callAs(as, 'PATCH', '/api/v1/settings', {
        ...{ settings: { HUB_REQUIRE_SECOND_FACTOR: value }, ...PASSWORD_BODY },
      })
    expectError(await require(weak, 'on'), 409, 'own_second_factor_missing')
    expectError(await require('access', 'on'), 409, 'own_second_factor_missing')
    await expectAccess(hub, weak)
    expectObject(await require(strong, 'on'), 200)
    await expectAccess(hub, strong)
    expectError(await listPlatforms(hub, weak), 403, 'second_factor_required')
    const removed = await hub.callAs(strong, 'DELETE', `${ACCOUNT}/second-factor`, PASSWORD_BODY)
    expectError(removed, 409, 'last_second_factor')
    expectObject(await require(strong, 'off'), 200)
    await expectAccess(hub, weak)
  })

  if (isDeep)
    test('a second factor set up on one node gives access on the other', async () => {
      await using first = await startHub(engine)
      const { storage } = first
      const close = async () => undefined
      const openDiagnostics = () => Promise.reject(new Error('not used'))
      const shared = {
        ...engine,
        open: async () => ({ storage, close, openDiagnostics, reopen: async () => storage }),
      }
      await using second = await startTestHub(shared, { env: REQUIRED })
      const session = await first.signIn()
      expectError(await listPlatforms(second, session), 403, 'second_factor_required')
      expectObject((await addPasskey(first, session)).added, 201)
      await expectAccess(second, session)
      await expectAccess(first, session)
    })
})
