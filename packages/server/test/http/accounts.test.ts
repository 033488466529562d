/** An operator's own account: password, second factor, passkeys and sessions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetPassword } from '../../src/features/operators/manage-operators.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, type TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectError, expectObject } from '../helpers/hub/response.ts'
import {
  ACCOUNT,
  addPasskey,
  beginPasskeySignIn,
  enableSecondFactor,
  finishPasskeySignIn,
  ORIGIN,
  sendCode,
} from '../helpers/hub/second-factors.ts'
import { totpCode } from '../helpers/hub/totp.ts'
import { cookieOf } from '../helpers/operator.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** The actions of the operator in the audit log. */
async function actionsOf(hub: TestHub, email: string): Promise<string[]> {
  const entries = await hub.audit(`&actor=${email}`)
  return entries.map((entry) => String(entry['action']))
}

describeHub("the account's name, password and sessions", (hub) => {
  test('an operator changes their name, which the session and the log show at once', async () => {
    const { email } = await hub.createOperator({ role: 'viewer' })
    const session = await hub.signIn(email)
    const change = (body: object) => hub.callAs(session, 'PATCH', ACCOUNT, body)
    for (const name of ['', ' \u200d', 'x'.repeat(201), 1]) {
      expectError(await change({ name }), 400, 'invalid_request')
    }
    for (const body of [{}, { role: 'admin' }, { email: 'b@example.org' }]) {
      expectError(await change(body), 400, 'invalid_request')
    }
    const name = 'Åsa Öberg 李'
    expectObject(await change({ name: ` ${name}\u202e\n` }), 200)
    const { account } = await hub.call('GET /api/v1/account', { as: session })
    assert.deepEqual([account.name, account.alert_mails, account.mail_set_up], [name, false, false])
    const read = Object(expectObject(await hub.callAs(session, 'GET', '/api/v1/session'), 200))
    assert.equal(read.operator.name, name)
    const { operators } = await hub.call('GET /api/v1/operators/names', { as: session })
    assert.equal(operators.find((one) => one.email === email)?.name, name)
    const entries = await hub.audit(`&actor=${email}&action=account.change`)
    assert.deepEqual(only(entries)['details'], { name })
  })

  test('changing the password requires the current one and ends all other sessions', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const other = await hub.signIn(email)
    const change = (current_password: string, new_password: string) =>
      hub.callAs(session, 'POST', `${ACCOUNT}/password`, { current_password, new_password })
    const next = 'another horse battery staple'
    expectError(await change('not the password', next), 403, 'password_wrong')
    for (const weak of ['short', 'Password-123456', `${email} 1`, '\u{1F512}'.repeat(11)]) {
      expectError(await change(PASSWORD, weak), 422, 'password_rejected')
    }
    assert.equal((await hub.callAs(other, 'GET', ACCOUNT)).status, 200)
    const changed = await change(PASSWORD, next)
    expectObject(changed, 200)
    const renewed = await hub.sessionOf(changed)
    assert.equal((await hub.callAs(renewed, 'GET', ACCOUNT)).status, 200)
    expectError(await hub.callAs(other, 'GET', ACCOUNT), 401, 'not_signed_in')
    expectError(await hub.sendSignIn(email), 401, 'invalid_email_or_password')
    await hub.signIn(email, next)
    expectAbsent([next, PASSWORD], [hub.log(), changed.text])
    assert.ok((await actionsOf(hub, email)).includes('account.change_password'))
  })

  for (const [choice, body, sessionStatus, tokenStatus] of [
    ['by default', {}, 401, 401],
    ['only the sessions on request', { revoke_tokens: false }, 401, 200],
    ['only the tokens on request', { end_sessions: false }, 200, 401],
  ] as const) {
    test(`a password change ends other sessions and tokens: ${choice}`, async () => {
      const { email } = await hub.createOperator()
      const session = await hub.signIn(email)
      const other = await hub.signIn(email)
      const { token } = await hub.call('POST /api/v1/tokens', {
        ...{ as: session, body: { name: 'export', role: 'viewer', password: PASSWORD } },
      })
      const authorization = `Bearer ${token}`
      const passwords = { current_password: PASSWORD, new_password: `${PASSWORD} 2` }
      await hub.call('POST /api/v1/account/password', {
        ...{ as: session, body: { ...passwords, ...body } },
      })
      const url = '/api/v1/platforms'
      assert.equal((await hub.callAs(other, 'GET', url)).status, sessionStatus)
      const asToken = await hub.send({ url, headers: { authorization } })
      assert.equal(asToken.status, tokenStatus)
      // Tokens of others are kept.
      expectObject(await hub.get(url), 200)
    })
  }

  test('a password that is reset on the command line revokes the tokens of the operator', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    await hub.callAs(session, 'POST', '/api/v1/tokens', {
      ...{ name: 'reset on the command line', role: 'viewer', password: PASSWORD },
    })
    const request = { email, removeSecondFactor: false, publicUrl: '' }
    const left = async (keepTokens: boolean) => {
      await resetPassword(hub.storage, { ...request, password: `${PASSWORD} 2`, keepTokens })
      const tokens = await hub.storage.operators.listTokens(null)
      return tokens.some(({ name }) => name === 'reset on the command line')
    }
    assert.deepEqual([await left(true), await left(false)], [true, false])
  })

  test('a password set from the command line is hashed like any other', async () => {
    const { id, email } = await hub.createOperator()
    const next = 'another horse battery staple'
    const request = { email, password: next, removeSecondFactor: false, publicUrl: '' }
    await resetPassword(hub.storage, { ...request, keepTokens: true })
    const [row] = await hub.sql(
      `SELECT password FROM operator_accounts WHERE operator_id = '${id}'`,
    )
    assert.match(String(row?.['password']), /^scrypt\$15\$8\$3\$/)
    await hub.signIn(email, next)
  })

  test('repeated wrong current passwords return 429', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const body = { current_password: `wrong ${attempt}`, new_password: PASSWORD }
      const response = await hub.callAs(session, 'POST', `${ACCOUNT}/password`, body)
      statuses.push(response.status)
    }
    assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429])
  })

  test("an operator lists and ends their own sessions, but not another operator's", async () => {
    const { email } = await hub.createOperator()
    const viewer = await hub.createOperator({ role: 'viewer' })
    const bob = await hub.signIn(viewer.email)
    const [first, second, third] = [
      await hub.signIn(email),
      await hub.signIn(email),
      await hub.signIn(email),
    ]
    const { sessions } = await hub.call('GET /api/v1/account/sessions', { as: first })
    assert.equal(sessions.length, 3)
    assert.equal(sessions.filter((one) => one.current).length, 1)
    const own = sessions.find((one) => one.current)
    const ending = await hub.callAs(bob, 'DELETE', `${ACCOUNT}/sessions/${own?.id}`)
    expectError(ending, 404, 'not_found')
    const session_id = sessions.find((session) => !session.current)?.id ?? ''
    await hub.call('DELETE /api/v1/account/sessions/:session_id', {
      ...{ params: { session_id }, as: first },
    })
    await hub.call('DELETE /api/v1/account/sessions', { as: first })
    for (const ended of [second, third]) {
      expectError(await hub.callAs(ended, 'GET', ACCOUNT), 401, 'not_signed_in')
    }
    assert.equal((await hub.callAs(bob, 'GET', ACCOUNT)).status, 200)
    assert.equal((await hub.callAs(first, 'GET', ACCOUNT)).status, 200)
  })

  test('an API token cannot use the account endpoints', async () => {
    for (const url of [ACCOUNT, `${ACCOUNT}/sessions`, `${ACCOUNT}/passkeys`]) {
      expectError(await hub.get(url), 403, 'operators_only')
    }
    const body = { password: 'x' }
    const enabled = await hub.callAs('admin', 'POST', `${ACCOUNT}/second-factor`, body)
    expectError(enabled, 403, 'operators_only')
  })

  test('account changes without a CSRF token return 419', async () => {
    const { email } = await hub.createOperator()
    const { cookie } = await hub.signIn(email)
    for (const [method, path] of [
      ['POST', 'password'],
      ['DELETE', 'sessions'],
      ['POST', 'second-factor'],
      ['POST', 'second-factor/confirm'],
      ['DELETE', 'second-factor'],
      ['POST', 'passkeys/options'],
      ['POST', 'passkeys'],
      ['DELETE', 'passkeys/x'],
    ] as const) {
      const url = `${ACCOUNT}/${path}`
      const response = await hub.send({ method, url, headers: { cookie }, body: {} })
      expectError(response, 419, 'session_or_token_invalid')
    }
  })
})

describeHub('two-factor authentication', (hub) => {
  test('once enabled, a password alone gives no session, and each code works once', async () => {
    const { email } = await hub.createOperator()
    const { uri, session } = await enableSecondFactor(hub, await hub.signIn(email))
    const { account } = await hub.call('GET /api/v1/account', { as: session })
    assert.equal(account.second_factor, true)

    const pending = await hub.sendSignIn(email)
    assert.equal(expectObject(pending, 200)['twoFactorRedirect'], true)
    expectAbsent(['session_token=ey'], [cookieOf(pending)])
    const headers = { cookie: cookieOf(pending) }
    const realtime = await hub.send({ url: '/dashboard/realtime', headers })
    expectError(realtime, 401, 'not_signed_in')

    const wrong = await sendCode(hub, pending, 'verify-totp', '000000')
    expectError(wrong, 401, 'invalid_code')
    const code = totpCode(uri, 1)
    const completed = await sendCode(hub, pending, 'verify-totp', code)
    await hub.sessionOf(completed)
    const replayed = await sendCode(hub, await hub.sendSignIn(email), 'verify-totp', code)
    expectError(replayed, 401, 'code_used')
    assert.ok(!replayed.cookies.some((cookie) => /session_token=[^;]/.test(cookie)))
    const again = await sendCode(hub, pending, 'verify-totp', '111111')
    expectError(again, 401, 'invalid_two_factor_cookie')
  })

  test('five wrong codes end the pending sign-in', async () => {
    const { email } = await hub.createOperator()
    const { uri } = await enableSecondFactor(hub, await hub.signIn(email))
    const pending = await hub.sendSignIn(email)
    for (let attempt = 0; attempt < 5; attempt++) {
      expectError(
        await sendCode(hub, pending, 'verify-totp', `00000${attempt}`),
        401,
        'invalid_code',
      )
    }
    const late = await sendCode(hub, pending, 'verify-totp', totpCode(uri, 1))
    assert.ok(late.status >= 400)
    assert.ok(!late.cookies.some((cookie) => /session_token=[^;]/.test(cookie)))
  })

  test('enabling, disabling and renewing recovery codes each require the password', async () => {
    const { email } = await hub.createOperator()
    const plain = await hub.signIn(email)
    const wrong = { password: 'not the password' }
    const url = `${ACCOUNT}/second-factor`
    expectError(await hub.callAs(plain, 'POST', url, wrong), 403, 'password_wrong')
    const { uri, session, codes } = await enableSecondFactor(hub, plain)
    expectError(await hub.callAs(session, 'DELETE', url, wrong), 403, 'password_wrong')
    const renewal = await hub.callAs(session, 'POST', `${url}/recovery-codes`, wrong)
    expectError(renewal, 403, 'password_wrong')
    const right = { password: PASSWORD }
    const renewed = await hub.call('POST /api/v1/account/second-factor/recovery-codes', {
      ...{ as: session, body: right },
    })
    assert.ok(!renewed.recovery_codes.includes(codes[0] ?? ''))
    const other = await hub.sessionOf(
      await sendCode(hub, await hub.sendSignIn(email), 'verify-totp', totpCode(uri, 1)),
    )
    const disabled = await hub.callAs(session, 'DELETE', url, right)
    expectObject(disabled, 200)
    expectError(await hub.callAs(other, 'GET', ACCOUNT), 401, 'not_signed_in')
    const current = await hub.sessionOf(disabled)
    assert.equal((await hub.callAs(current, 'GET', ACCOUNT)).status, 200)
    await hub.signIn(email)
    const actions = await actionsOf(hub, email)
    for (const change of ['enable', 'recovery_codes', 'disable']) {
      assert.ok(actions.includes(`second_factor.${change}`), change)
    }
  })

  test('an unconfirmed second factor does not require a code at sign-in', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const url = `${ACCOUNT}/second-factor`
    const body = { password: PASSWORD }
    await hub.call('POST /api/v1/account/second-factor', { as: session, body })
    const wrong = await hub.callAs(session, 'POST', `${url}/confirm`, { code: '000000' })
    expectError(wrong, 422, 'code_wrong')
    await hub.signIn(email)
  })

  test("an admin removes an operator's second factor, whose secrets are stored encrypted only", async () => {
    const { email } = await hub.createOperator()
    const viewer = await hub.createOperator({ role: 'viewer' })
    const { uri, codes } = await enableSecondFactor(hub, await hub.signIn(viewer.email))
    const rows = JSON.stringify(await hub.sql('SELECT * FROM operator_second_factors'))
    const secret = new URL(uri).searchParams.get('secret') ?? ''
    expectAbsent([secret, ...codes], [rows, hub.log()])
    const admin = await hub.signIn(email)
    const url = `/api/v1/operators/${viewer.id}/second-factor`
    const body = { password: PASSWORD }
    expectError(await hub.callAs(admin, 'DELETE', url), 403, 'password_wrong')
    expectObject(await hub.callAs(admin, 'DELETE', url, body), 200)
    expectError(await hub.callAs(admin, 'DELETE', url, body), 404, 'not_found')
    await hub.signIn(viewer.email)
  })
})

describeHub('passkeys', (hub) => {
  test('the options for adding and for using a passkey require that the device verifies its user', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const request = { as: session, body: { password: PASSWORD } }
    const { options } = await hub.call('POST /api/v1/account/passkeys/options', request)
    assert.equal(Object(options).authenticatorSelection.userVerification, 'required')
    const used = await hub.send({ url: '/api/auth/passkey/generate-authenticate-options' })
    assert.equal(expectObject(used, 200)['userVerification'], 'required')
  })

  test('a passkey is added, listed, used to sign in without a password, and removed', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const wrong = await hub.callAs(session, 'POST', `${ACCOUNT}/passkeys/options`, {
      password: 'not the password',
    })
    expectError(wrong, 403, 'password_wrong')
    const { passkey, added, home } = await addPasskey(hub, session)
    expectObject(added, 201)
    const { passkeys } = await hub.call('GET /api/v1/account/passkeys', { as: home })
    const shown = only(passkeys)
    assert.deepEqual([shown.name, shown.synced], ['My laptop', false])

    const { options, cookie } = await beginPasskeySignIn(hub)
    const response = passkey.sign(options, ORIGIN)
    const signedIn = await finishPasskeySignIn(hub, cookie, response)
    const signedInSession = await hub.sessionOf(signedIn)
    assert.equal((await hub.callAs(signedInSession, 'GET', ACCOUNT)).status, 200)
    assert.doesNotMatch(signedIn.text, /"token"/)
    const replayed = await finishPasskeySignIn(hub, cookie, response)
    assert.equal(replayed.status, 400)

    const url = `${ACCOUNT}/passkeys/${shown.id}`
    const wrongPassword = await hub.callAs(home, 'DELETE', url, { password: 'no' })
    expectError(wrongPassword, 403, 'password_wrong')
    expectObject(await hub.callAs(home, 'DELETE', url, { password: PASSWORD }), 200)
    const next = await beginPasskeySignIn(hub)
    const afterRemoval = await finishPasskeySignIn(
      hub,
      next.cookie,
      passkey.sign(next.options, ORIGIN),
    )
    assert.equal(afterRemoval.status, 401)
    const actions = await actionsOf(hub, email)
    assert.ok(actions.includes('passkey.create') && actions.includes('passkey.remove'))
  })

  test('a passkey without user verification is rejected at registration and at sign-in', async () => {
    const { email } = await hub.createOperator()
    const session = await hub.signIn(email)
    const { added } = await addPasskey(hub, session, { userVerified: false })
    expectError(added, 422, 'sign_in_setting_rejected')
    const { passkey } = await addPasskey(hub, session)
    const { options, cookie } = await beginPasskeySignIn(hub)
    const unverified = passkey.sign(options, ORIGIN, { userVerified: false })
    expectError(await finishPasskeySignIn(hub, cookie, unverified), 401, 'user_not_verified')
  })

  test('a passkey response for another origin or another challenge is rejected', async () => {
    const { email } = await hub.createOperator()
    const { passkey } = await addPasskey(hub, await hub.signIn(email))
    const stolen = await beginPasskeySignIn(hub)
    const otherOrigin = passkey.sign(stolen.options, 'http://evil.example')
    assert.equal((await finishPasskeySignIn(hub, stolen.cookie, otherOrigin)).status, 400)
    const [own, other] = [await beginPasskeySignIn(hub), await beginPasskeySignIn(hub)]
    const response = passkey.sign(other.options, ORIGIN)
    assert.equal((await finishPasskeySignIn(hub, own.cookie, response)).status, 400)
    assert.equal((await finishPasskeySignIn(hub, '', response)).status, 400)
    assert.equal((await finishPasskeySignIn(hub, own.cookie, { id: 'x' })).status, 400)
  })

  test('a disabled operator cannot sign in with a passkey', async () => {
    const { email } = await hub.createOperator()
    const { passkey } = await addPasskey(hub, await hub.signIn(email))
    await hub.sql(
      `UPDATE operators SET disabled_at = '2026-01-01T00:00:00.000Z' WHERE email = '${email}'`,
    )
    const { options, cookie } = await beginPasskeySignIn(hub)
    const response = await finishPasskeySignIn(hub, cookie, passkey.sign(options, ORIGIN))
    expectError(response, 403, 'operator_disabled')
    assert.ok(!response.cookies.some((one) => /session_token=[^;]/.test(one)))
  })

  test('the sign-in options offer passkeys only on hosts that allow them, and reveal nothing else', async () => {
    const optionsAt = async (host: string) =>
      expectObject(await hub.send({ url: '/api/v1/sign-in-options', headers: { host } }), 200)
    const withPasskeys = { success: true, passkeys: true, single_sign_on: [] }
    assert.deepEqual(await optionsAt('localhost:8080'), withPasskeys)
    assert.deepEqual(await optionsAt('192.0.2.7'), { ...withPasskeys, passkeys: false })
  })
})
