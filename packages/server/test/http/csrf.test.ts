/** Authentication of actions: sessions with their CSRF token, and API tokens (specification 5 and 7). */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { StartPullResponse } from '@recordhub/protocol'
import { createKey, HUB_KEY_PREFIX, TOKEN_PREFIX } from '../../src/domain/platform/api-key.ts'
import { createApiToken } from '../../src/features/operators/manage-operators.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { HubRequest } from '../helpers/hub/hub.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'

const PULL_ALL = '/dashboard/pull-all-existing-records'

/** Requests that change something and therefore need more than a session cookie. */
const API_CALLS: HubRequest[] = [
  { method: 'POST', url: '/api/v1/pulls' },
  { method: 'POST', url: '/api/v1/platforms/probe', body: {} },
  { method: 'POST', url: '/api/v1/platforms', body: {} },
  { method: 'PATCH', url: '/api/v1/platforms/1', body: { status: 'inactive' } },
  { method: 'POST', url: '/api/v1/missing-reviews/1/approve' },
  { method: 'POST', url: '/api/v1/missing-reviews/1/dismiss' },
]

describeHub('actions with a session', { withOperator: true }, (hub) => {
  let mine: Session
  let other: Session
  let ended: Session
  before(async () => {
    ;[mine, other, ended] = [await hub.signIn(), await hub.signIn(), await hub.signIn()]
    await hub.send({ method: 'POST', url: '/api/auth/sign-out', ...ended, body: {} })
  })

  const cases: [string, () => Record<string, string>][] = [
    ['no session', () => ({})],
    ['a CSRF token but no session', () => ({ 'x-csrf-token': mine.csrf })],
    ['a session but no CSRF token', () => ({ cookie: mine.cookie })],
    ['an empty CSRF token', () => ({ cookie: mine.cookie, 'x-csrf-token': '' })],
    ["another session's CSRF token", () => ({ cookie: mine.cookie, 'x-csrf-token': other.csrf })],
    [
      'a CSRF token with an extra letter',
      () => ({ ...mine.headers, 'x-csrf-token': `${mine.csrf}A` }),
    ],
    ['a signed-out session', () => ended.headers],
    ['a forged session cookie', () => ({ ...mine.headers, cookie: 'recordhub.session_token=a.b' })],
    ['a bearer token instead of a session', () => ({ authorization: hub.authorization('admin') })],
  ]
  for (const [name, headersOf] of cases) {
    test(`a dashboard POST with ${name} returns 419, as JSON or as a page`, async () => {
      const rows = await hub.countStoredRows()
      const send = (headers: Record<string, string>) =>
        hub.send({ method: 'POST', url: PULL_ALL, headers: { ...headersOf(), ...headers } })
      const byScript = await send({
        accept: 'application/json',
        'x-requested-with': 'XMLHttpRequest',
      })
      expectError(byScript, 419, 'session_or_token_invalid')
      const byBrowser = await send({
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'x-requested-with': '',
      })
      assert.equal(byBrowser.status, 419)
      assert.match(byBrowser.header('content-type'), /^text\/html/)
      assert.match(byBrowser.text, /419/)
      assert.match(byBrowser.header('content-security-policy'), /default-src 'none'/)
      expectAbsent([mine.csrf, other.csrf], [byScript.text, byBrowser.text])
      assert.deepEqual(await hub.countStoredRows(), rows)
    })
  }

  for (const request of API_CALLS) {
    test(`${request.method} ${request.url} returns 401 without a session, 419 without its CSRF token`, async () => {
      const rows = await hub.countStoredRows()
      expectError(await hub.send(request), 401, 'not_signed_in')
      const headers = { cookie: mine.cookie }
      const response = await hub.send({ ...request, headers })
      expectError(response, 419, 'session_or_token_invalid')
      const wrong = { cookie: mine.cookie, 'x-csrf-token': other.csrf }
      const wrongToken = await hub.send({ ...request, headers: wrong })
      expectError(wrongToken, 419, 'session_or_token_invalid')
      assert.deepEqual(await hub.countStoredRows(), rows)
    })
  }

  test('the Better Auth sign-out requires the CSRF token too', async () => {
    const headers = { cookie: mine.cookie }
    const request = { method: 'POST', url: '/api/auth/sign-out', body: {} } as const
    expectError(await hub.send({ ...request, headers }), 419, 'session_or_token_invalid')
    assert.equal((await hub.send({ url: '/dashboard', headers })).status, 200)
  })

  test('a request from another site returns 403, even with a session and its CSRF token', async () => {
    const rows = await hub.countStoredRows()
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      for (const url of [PULL_ALL, '/api/v1/pulls']) {
        const headers = { ...mine.headers, origin }
        const response = await hub.send({ method: 'POST', url, headers })
        expectError(response, 403, 'origin_not_allowed')
      }
    }
    assert.deepEqual(await hub.countStoredRows(), rows)
  })

  test('a same-origin request with a session and its CSRF token queues a pull', async () => {
    const headers = { ...mine.headers, host: 'hub.example', origin: 'http://hub.example' }
    const response = await hub.send({ method: 'POST', url: PULL_ALL, headers })
    const { pull } = expectBody(response, 202, StartPullResponse)
    assert.equal(pull.trigger, 'operator')
    await hub.untilPullEnds(pull.id)
  })
})

describeHub('actions with a bearer token', (hub) => {
  test('an API token with the operator role registers a platform without a CSRF token', async () => {
    await using platform = await simulatePlatform()
    assert.equal((await hub.sendRegistration(platform)).status, 201)
  })

  test('an expired, revoked, unknown or malformed token returns 401', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const { operators } = hub.storage
    const role = { role: 'admin', actor: 'test' } as const
    const expired = await createApiToken(
      { operators, clock: { now: () => new Date('2026-01-01') } },
      { ...role, name: 'expired', expiresInDays: 1 },
    )
    const revoked = await createApiToken(
      { operators, clock: { now: () => new Date() } },
      { ...role, name: 'revoked', expiresInDays: null },
    )
    await hub.sql(
      `UPDATE api_tokens SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE name = 'revoked'`,
    )
    const unknown = createKey(TOKEN_PREFIX).key
    const wrong = [expired, revoked, unknown, hub_api_key, createKey(HUB_KEY_PREFIX).key, 'x', '']
    for (const token of wrong) {
      for (const scheme of ['Bearer', 'bearer', 'Basic']) {
        const headers = { authorization: `${scheme} ${token}` }
        const response = await hub.send({ url: '/api/v1/platforms', headers })
        expectError(response, 401, 'not_signed_in')
        if (token.length > 12) expectAbsent([token], [response.text, hub.log()])
      }
    }
  })

  test('an API token is not accepted by the dashboard or the receiver', async () => {
    const authorization = hub.authorization('admin')
    const headers = { authorization, 'x-api-key': authorization.slice('Bearer '.length) }
    assert.equal((await hub.send({ url: '/dashboard', headers })).status, 302)
    const realtime = await hub.send({ url: '/dashboard/realtime', headers })
    expectError(realtime, 401, 'not_signed_in')
    const check = await hub.send({ url: '/api/webhook/check', headers })
    expectError(check, 401, 'api_key_invalid')
  })
})
