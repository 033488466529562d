/** Actions that reveal a key, give access or start a revert need the password again, or a token with a scope for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIRMED_SCOPES } from '../../src/domain/auth/caller.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, type TestHub } from '../helpers/hub/hub.ts'
import { expectError, expectObject } from '../helpers/hub/response.ts'
import { enableSecondFactor } from '../helpers/hub/second-factors.ts'

type Scope = (typeof CONFIRMED_SCOPES)[number]

type Action = {
  scope: Scope
  method: 'POST' | 'PATCH' | 'DELETE'
  url: string
  body: object
  /** As in the audit log. */
  action: string
}

/** @param name makes e-mail addresses and names unique. */
const ACTIONS: Readonly<Record<string, (hub: TestHub, name: string) => Promise<Action>>> = {
  'revealing a hub key': async (hub) => ({
    ...{ scope: 'hub_keys', method: 'POST', body: {}, action: 'hub_key.reveal' },
    url: `/api/v1/platforms/${(await hub.registerPushing()).id}/hub-key/reveal`,
  }),
  'rotating a hub key': async (hub) => ({
    ...{ scope: 'hub_keys', method: 'POST', action: 'hub_key.rotate' },
    url: `/api/v1/platforms/${(await hub.registerPushing()).id}/hub-key/rotate`,
    body: { grace_seconds: 60 },
  }),
  'creating a token': async (_, name) => ({
    ...{ scope: 'access', method: 'POST', url: '/api/v1/tokens', action: 'token.create' },
    body: { name, role: 'viewer' },
  }),
  'inviting an operator': async (_, name) => ({
    ...{ scope: 'access', method: 'POST', url: '/api/v1/invitations', action: 'operator.invite' },
    body: { email: `${name}@example.org`, role: 'admin' },
  }),
  'changing a role': async (hub) => ({
    ...{ scope: 'access', method: 'PATCH', action: 'operator.change' },
    url: `/api/v1/operators/${(await hub.createOperator({ role: 'viewer' })).id}`,
    body: { role: 'admin' },
  }),
  'enabling an account': async (hub) => ({
    ...{ scope: 'access', method: 'PATCH', action: 'operator.change' },
    url: `/api/v1/operators/${(await hub.createOperator({ role: 'viewer' })).id}`,
    body: { disabled: false },
  }),
  'removing a second factor': async (hub) => {
    const { id, email } = await hub.createOperator({ role: 'viewer' })
    await enableSecondFactor(hub, await hub.signIn(email))
    const url = `/api/v1/operators/${id}/second-factor`
    return { scope: 'access', method: 'DELETE', url, body: {}, action: 'second_factor.reset' }
  },
  'starting a revert': async (hub) => {
    const { platform_name: platform } = await hub.registerPushing()
    const scope = { platform, from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }
    const body = { scope, reason: 'wrong values' }
    const { revert } = await hub.call('POST /api/v1/reverts', { body })
    const url = `/api/v1/reverts/${revert.id}/start`
    return { scope: 'reverts', method: 'POST', url, body: {}, action: 'revert.start' }
  },
}

describeHub('actions that give access', { withOperator: true, engines: 'both' }, (hub) => {
  for (const [what, prepare] of Object.entries(ACTIONS)) {
    test(`${what} needs the password in a session`, async () => {
      const session = await hub.signIn()
      const { method, url, body, action } = await prepare(hub, 'session')
      const call = (password: object) => hub.callAs(session, method, url, { ...body, ...password })
      const before = await hub.countStoredRows()
      for (const password of [{}, { password: '' }, { password: 'wrong' }]) {
        expectError(await call(password), 403, 'password_wrong')
        const [entry] = await hub.audit()
        assert.deepEqual([entry?.['action'], entry?.['actor']], [`${action}_rejected`, EMAIL])
      }
      assert.deepEqual(await hub.countStoredRows(), before)
      const done = await call({ password: PASSWORD })
      assert.ok(done.status < 300, done.text)
      const [entry] = await hub.audit(`&action=${action}`)
      assert.equal(entry?.['actor'], EMAIL)
      assert.ok(!JSON.stringify(entry).includes(PASSWORD))
    })

    test(`${what} needs the scope in a token`, async () => {
      const { scope, method, url, body } = await prepare(hub, 'token')
      const other = scope === 'access' ? 'hub_keys' : 'access'
      const call = (permission: 'admin' | Scope) =>
        hub.callAs(permission, method, url, { ...body, password: PASSWORD })
      const before = await hub.countStoredRows()
      expectError(await call('admin'), 403, 'scope_required')
      assert.equal((await call(other)).status, 403)
      assert.deepEqual(await hub.countStoredRows(), before)
      const done = await call(scope)
      assert.ok(done.status < 300, done.text)
    })
  }

  test('disabling an account needs no password', async () => {
    const { id } = await hub.createOperator({ role: 'viewer' })
    const body = { disabled: true }
    expectObject(
      await hub.callAs(await hub.signIn(), 'PATCH', `/api/v1/operators/${id}`, body),
      200,
    )
  })

  test('only an operator can give a token the scopes for keys, access and reverts', async () => {
    const session = await hub.signIn()
    for (const scope of CONFIRMED_SCOPES) {
      const body = { name: `with ${scope}`, role: 'operator', scope, password: PASSWORD }
      const url = '/api/v1/tokens'
      expectError(await hub.callAs('access', 'POST', url, body), 403, 'operators_only')
      expectObject(await hub.callAs(session, 'POST', url, body), 201)
    }
  })

  test('a token for reverts can also plan, list and cancel them, and does nothing else', async () => {
    const { platform_name } = await hub.registerPushing()
    const scope = {
      platform: platform_name,
      from: '2020-01-01T00:00:00Z',
      to: '2020-01-02T00:00:00Z',
    }
    const as = 'reverts'
    const body = { scope, reason: 'wrong values' }
    const { id } = (await hub.call('POST /api/v1/reverts', { body, as })).revert
    const params = { id }
    await hub.call('GET /api/v1/reverts', { as })
    await hub.call('GET /api/v1/reverts/:id/records', { params, as })
    await hub.call('POST /api/v1/reverts/:id/cancel', { params, as })
    for (const [method, url] of [
      ['POST', '/api/v1/pulls'],
      ['DELETE', `/api/v1/reverts/${id}/holds`],
      ['GET', '/api/v1/records'],
    ] as const) {
      expectError(await hub.callAs(as, method, url), 403, 'out_of_scope')
    }
  })

  test('a token that gives keys can do nothing else', async () => {
    for (const url of ['/api/v1/records', '/api/v1/tokens', '/api/v1/operators', '/api/v1/audit']) {
      assert.equal((await hub.callAs('hub_keys', 'GET', url)).status, 403, url)
    }
    expectObject(await hub.callAs('hub_keys', 'GET', '/api/v1/platforms'), 200)
  })
})
