/** The login throttle: it delays repeated wrong passwords and codes, without locking out other clients. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import {
  expectAbsent,
  expectError,
  expectObject,
  type TestResponse,
} from '../helpers/hub/response.ts'
import { enableSecondFactor } from '../helpers/hub/second-factors.ts'
import { totpCode } from '../helpers/hub/totp.ts'
import { cookieOf } from '../helpers/operator.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

/** A trusted proxy sends the client's address. */
const env = { HUB_TRUST_PROXY: 'on' }
const from = (address: string, cookie = '') => ({ 'x-forwarded-for': address, cookie })
const ATTACKER = '198.51.100.66'
const OTHER = '192.0.2.1'

async function failSignIn(
  hub: TestHub,
  times: number,
  headers: Record<string, string>,
  email = EMAIL,
) {
  return (await sendWrongPasswords(hub, times, headers, email)).map(({ status }) => status)
}

async function sendWrongPasswords(
  hub: TestHub,
  times: number,
  headers: Record<string, string>,
  email: string,
) {
  const responses: TestResponse[] = []
  for (let round = 0; round < times; round++) {
    responses.push(await hub.sendSignIn(email, `a wrong password ${round}`, headers))
  }
  return responses
}

/** Starts a hub with a stopped clock, so that slow attempts cannot outlast a lockout. */
function startHub(engine: StorageEngine, clock = createStoppedClock()): Promise<TestHub> {
  return startTestHub(engine, { withOperator: true, clock, env })
}

/** Stops at the start of the hub. */
let stoppedAt: Date | null = null
const clock = {
  now: () => {
    stoppedAt ??= new Date()
    return stoppedAt
  },
}

describeHub('the login throttle', { clock, env }, (hub, engine) => {
  test('lockouts grow, survive restarts, and are the same for unknown accounts', async () => {
    const clock = createStoppedClock()
    await using hub = await startHub(engine, clock)
    for (const email of [EMAIL, 'unknown@example.org']) {
      const responses = await sendWrongPasswords(hub, 6, from(ATTACKER), email)
      const announced = responses.map(({ status, header }) =>
        [status, header('ratelimit-remaining'), header('retry-after')].join(' ').trim(),
      )
      assert.deepEqual(announced, ['401 4', '401 3', '401 2', '401 1', '401 0 30', '429  30'])
    }
    const known = await hub.sendSignIn(EMAIL, PASSWORD, from(ATTACKER))
    const unknown = await hub.sendSignIn('unknown@example.org', PASSWORD, from(ATTACKER))
    for (const response of [known, unknown]) {
      expectError(response, 429, 'too_many_requests')
      assert.match(response.header('retry-after'), /^30$/)
      assert.deepEqual(response.cookies, [])
    }
    clock.advance(31)
    assert.deepEqual(await failSignIn(hub, 2, from(ATTACKER)), [401, 429])
    clock.advance(31)
    assert.deepEqual(
      await failSignIn(hub, 1, from(ATTACKER)),
      [429],
      'the second lockout is longer',
    )
    await hub.restart({ env, clock })
    assert.deepEqual(await failSignIn(hub, 1, from(ATTACKER)), [429])
    assert.equal((await hub.sendSignIn(EMAIL, PASSWORD, from(OTHER))).status, 200)
  })

  test('a lockout does not affect other addresses, trusted devices or open sessions', async () => {
    const { email } = await hub.createOperator()
    const attacker = '198.51.100.1'
    const first = await hub.sendSignIn(email, PASSWORD, from(attacker))
    const device = cookieOf(first)
      .split('; ')
      .filter((cookie) => cookie.startsWith('recordhub.device='))
      .join()
    assert.notEqual(device, '')
    const session = { headers: { cookie: cookieOf(first) } }
    assert.equal((await failSignIn(hub, 7, from(attacker), email)).at(-1), 429)
    assert.equal((await hub.sendSignIn(email, PASSWORD, from(OTHER))).status, 200)
    assert.equal((await hub.sendSignIn(email, PASSWORD, from(attacker, device))).status, 200)
    assert.equal((await hub.callAs(session, 'GET', '/api/v1/account')).status, 200)

    assert.equal(
      (await failSignIn(hub, 7, from(attacker, device), email)).at(-1),
      429,
      'a device has five attempts',
    )
    const forged = device.replace(/=[^.]+/, '=00000000-0000-4000-8000-000000000000')
    const other = from(attacker, forged)
    expectError(await hub.sendSignIn(email, PASSWORD, other), 429, 'too_many_requests')
    const bob = await hub.createOperator({ role: 'viewer' })
    assert.equal((await failSignIn(hub, 7, from(attacker, device), bob.email)).at(-1), 429)
  })

  test('attempts at many accounts lock out the address, despite a successful sign-in from it', async () => {
    const { email } = await hub.createOperator()
    const attacker = '198.51.100.2'
    const eve = await hub.createOperator({ role: 'viewer' })
    const statuses: number[] = []
    for (let round = 0; round < 31; round++) {
      statuses.push(...(await failSignIn(hub, 1, from(attacker), `name${round}@example.org`)))
      if (round === 20) await signInWith(hub, eve.email, attacker)
    }
    assert.deepEqual([statuses.at(-2), statuses.at(-1)], [401, 429])
    assert.equal((await hub.sendSignIn(email, PASSWORD, from(attacker))).status, 429)
    assert.equal((await hub.sendSignIn(email, PASSWORD, from(OTHER))).status, 200)
    const rows = await hub.countRows('login_attempts')
    await failSignIn(hub, 20, from(attacker), 'another@example.org')
    assert.equal(
      await hub.countRows('login_attempts'),
      rows,
      'an attempt during a lockout stores nothing',
    )
    const stored = JSON.stringify(await hub.sql('SELECT * FROM login_attempts'))
    expectAbsent([eve.email, 'name1@example.org', attacker], [stored])
  })

  test('while an account is attacked from many addresses, a new address has one attempt', async () => {
    await using hub = await startHub(engine)
    await failSignIn(hub, 1, from(ATTACKER))
    await hub.sql('UPDATE login_attempts SET attempts = 100')
    await hub.sql('DELETE FROM login_attempts WHERE login_attempt_id <= 2')
    assert.deepEqual(await failSignIn(hub, 2, from('203.0.113.1')), [401, 429])
    assert.deepEqual(await failSignIn(hub, 2, from('203.0.113.2')), [401, 429])
    assert.equal((await hub.sendSignIn(EMAIL, PASSWORD, from(OTHER))).status, 200)
  })

  test('IPv6 addresses of one /64 network share a limit', async () => {
    const { email } = await hub.createOperator()
    const statuses: number[] = []
    for (let round = 0; round < 6; round++) {
      statuses.push(...(await failSignIn(hub, 1, from(`2001:db8:1:2::${round}`), email)))
    }
    assert.equal(statuses.at(-1), 429)
    assert.deepEqual(await failSignIn(hub, 1, from('2001:db8:1:3::1'), email), [401])
  })

  test('wrong codes count across sign-ins, even if each password was right', async () => {
    const { email } = await hub.createOperator()
    const attacker = '198.51.100.4'
    const { uri } = await enableSecondFactor(hub, await hub.signIn(email))
    const send = async (address: string, code: string) => {
      const pending = await hub.sendSignIn(email, PASSWORD, from(address))
      return sendCode(hub, from(address, cookieOf(pending)), code)
    }
    const statuses: number[] = []
    for (let round = 0; round < 6; round++) statuses.push((await send(attacker, '000000')).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    assert.equal((await send(attacker, totpCode(uri, 1))).status, 429)
    assert.equal((await send(OTHER, totpCode(uri, 1))).status, 200)
  })

  if (isDeep)
    test('wrong codes count for the account they would open, even with manipulated cookies', async () => {
      const { email } = await hub.createOperator()
      const attacker = '198.51.100.5'
      const { uri } = await enableSecondFactor(hub, await hub.signIn(email))
      const eve = await hub.createOperator({ role: 'viewer' })
      await enableSecondFactor(hub, await hub.signIn(eve.email))
      const twoFactorCookieOf = async (email: string) => {
        const pending = await hub.sendSignIn(email, PASSWORD, from(attacker))
        const pair = /recordhub\.two_factor=[^;]+/.exec(cookieOf(pending))?.[0]
        return pair ?? assert.fail(cookieOf(pending))
      }
      const own = await twoFactorCookieOf(eve.email)
      const manipulations = [
        (cookie: string) => `a=${own}; ${cookie}`,
        (cookie: string) => `x${own}; ${cookie}`,
        (cookie: string) => `${cookie}; ${own}`,
        (cookie: string) => cookie.replace('=2', '=%32'),
        (cookie: string) => cookie.replace(/=(.*)/, '="$1"'),
      ]
      const statuses: number[] = []
      for (const manipulate of [...manipulations, ...manipulations]) {
        const headers = from(attacker, manipulate(await twoFactorCookieOf(email)))
        statuses.push((await sendCode(hub, headers, '000000')).status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 401, 429, 401, 401])
      const headers = from(OTHER, (await twoFactorCookieOf(email)).replace('=2', '=%32'))
      const right = await sendCode(hub, headers, totpCode(uri, 1))
      assert.equal(right.status, 401, 'a code that counts for no account is rejected')
    })

  test('wrong passwords in a session count for the session, not for the account', async () => {
    const { email } = await hub.createOperator()
    const [mine, stolen] = [await hub.signIn(email), await hub.signIn(email)]
    const body = (current_password: string) => ({
      current_password,
      new_password: 'another horse battery staple',
    })
    const url = '/api/v1/account/password'
    const statuses: number[] = []
    for (let round = 0; round < 6; round++) {
      statuses.push((await hub.callAs(stolen, 'POST', url, body(`wrong ${round}`))).status)
    }
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429])
    const passkey = { password: PASSWORD }
    const options = await hub.callAs(stolen, 'POST', '/api/v1/account/passkeys/options', passkey)
    expectError(options, 429, 'too_many_requests')
    expectObject(await hub.callAs(mine, 'POST', url, body(PASSWORD)), 200)
  })

  if (isDeep)
    test('many attempts add few audit entries, and an unknown e-mail is not recorded', async () => {
      await using hub = await startHub(engine)
      const typed = 'my.secret.password@example.org'
      await failSignIn(hub, 1, from(ATTACKER), typed)
      for (let round = 0; round < 9; round++) await failSignIn(hub, 1, from(`203.0.113.${round}`))
      const failed = await until(async () => {
        const entries = await hub.audit('&action=session.reject')
        return entries.length === 5 ? entries : null
      }, 'the failed attempts are in the audit log')
      const attempts = failed.map((entry) => [entry['actor'], Object(entry['details'])['attempts']])
      assert.deepEqual(attempts, [
        [EMAIL, 8],
        [EMAIL, 4],
        [EMAIL, 2],
        [EMAIL, 1],
        ['unknown user', 1],
      ])
      assert.deepEqual([failed[0]?.['address'], failed[4]?.['address']], ['203.0.113.7', ATTACKER])
      expectAbsent([typed, 'a wrong password'], [JSON.stringify(failed), hub.log()])
    })
})

const sendCode = (hub: TestHub, headers: Record<string, string>, code: string) =>
  hub.callAs({ headers }, 'POST', '/api/auth/two-factor/verify-totp', { code })

async function signInWith(hub: TestHub, email: string, address: string): Promise<void> {
  assert.equal((await hub.sendSignIn(email, PASSWORD, from(address))).status, 200)
}
