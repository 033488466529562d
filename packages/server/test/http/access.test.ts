/** Every route of the access table, called with accepted and with rejected credentials. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ROLES, type Role } from '../../src/domain/auth/caller.ts'
import { createApiToken } from '../../src/features/operators/manage-operators.ts'
import { ACCESS, OPEN_WITHOUT_SECOND_FACTOR, requiresCaller } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { type HubRequest, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectError, type TestResponse } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { countRows, runSql } from '../helpers/storage/sql.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]
type Route = { name: string; method: Method; url: string; role: Role }

/** Sign-out ends the calling session, so it is called last. */
const SIGN_OUT = 'POST /api/auth/sign-out'
const ACCESS_ERRORS = ['forbidden', 'not_signed_in', 'session_or_token_invalid', 'api_key_invalid']

const ROUTES: Route[] = Object.entries(ACCESS)
  .flatMap(([name, access]) => {
    const [method, path = ''] = name.split(' ')
    const url = path.replaceAll(/:\w+/g, '999999').replace('*', 'any')
    if (!requiresCaller(access)) return []
    return [{ name, method: methodOf(method), url, role: access }]
  })
  .toSorted((one, other) => Number(one.name === SIGN_OUT) - Number(other.name === SIGN_OUT))

/** In the quick tier, each route is called by the lowest role that may call it. */
function calls(role: Role, route: Route): boolean {
  const above = ROLES.indexOf(role) - ROLES.indexOf(route.role)
  return above >= 0 && above <= rounds(0, ROLES.length)
}

function methodOf(text: string | undefined): Method {
  return METHODS.find((method) => method === text) ?? assert.fail(`unknown method ${text}`)
}

const TABLES = [
  ...['operators', 'operator_sessions', 'operator_invitations', 'operator_passkeys', 'api_tokens'],
  ...['platforms', 'modules', 'hub_keys', 'records', 'pulls', 'rejected_pushes', 'saved_views'],
  ...[
    'activity',
    'audit',
    'alerts',
    'removals',
    'tombstones',
    'paused_schedules',
    'login_attempts',
  ],
]

async function rowCounts({ storage }: TestHub): Promise<Record<string, number>> {
  const counts = TABLES.map(async (table) => [table, await countRows(storage, table)] as const)
  return Object.fromEntries(await Promise.all(counts))
}

const requestTo = ({ method, url }: Route, headers: Record<string, string>): HubRequest => ({
  ...{ method, url, headers },
  ...(method === 'GET' ? {} : { body: {} }),
})

function untilPullsEnd({ storage }: TestHub): Promise<true> {
  return until(async () => {
    const running = await runSql(storage, 'SELECT 1 FROM pulls WHERE finished_at IS NULL')
    return running.length === 0 ? true : null
  }, 'all pulls have ended')
}

/** Asserts the response of a route to an unauthenticated request. */
function expectUnauthenticated({ method, url }: Route, response: TestResponse): void {
  if (method === 'GET' && response.status === 302) {
    assert.match(url, /^\/dashboard(\/any)?$/)
    assert.match(response.header('location'), /^\/sign-in/)
  } else if (method === 'GET' || url.startsWith('/api/v1/')) {
    expectError(response, 401, 'not_signed_in')
  } else expectError(response, 419, 'session_or_token_invalid')
}

// The event stream would not end.
const OPTIONS = { withOperator: true, env: { HUB_BROADCAST: 'off' } }

describeHub('access control', OPTIONS, (hub, engine) => {
  const sessions = new Map<Role, Session>()
  const unauthenticated: [string, Record<string, string>][] = []

  before(async () => {
    const { hub_api_key } = await hub.registerPushing()
    for (const role of ROLES) {
      await hub.addOperator(`${role}@example.org`, role)
      sessions.set(role, await hub.signIn(`${role}@example.org`))
    }
    const deps = { operators: hub.storage.operators, clock: { now: () => new Date(0) } }
    const token = { role: 'admin', actor: 'test', expiresInDays: 1 } as const
    const expired = await createApiToken(deps, { ...token, name: 'expired' })
    const revoked = await createApiToken(deps, { ...token, name: 'old', expiresInDays: null })
    await hub.sql(
      `UPDATE api_tokens SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE name = 'old'`,
    )
    unauthenticated.push(
      ['no credentials', {}],
      ["a platform's key", { 'x-api-key': hub_api_key }],
      ["a platform's key as a token", { authorization: `Bearer ${hub_api_key}` }],
      ['an expired token', { authorization: `Bearer ${expired}` }],
      ['a revoked token', { authorization: `Bearer ${revoked}` }],
      ['a forged session cookie', { cookie: 'recordhub.session_token=a.b' }],
    )
  })

  test('the access table has routes for each role', () => {
    assert.ok(ROUTES.length > 80)
    for (const role of ROLES) assert.ok(ROUTES.some((route) => route.role === role))
  })

  test('every route rejects unauthenticated requests, which change nothing', async () => {
    const rows = await rowCounts(hub)
    for (const [number, [, headers]] of unauthenticated.entries()) {
      // In the quick tier, each route is requested without credentials and with one kind of wrong ones.
      const kinds = rounds(unauthenticated.length - 1, 1)
      for (const route of ROUTES.filter(
        (_, index) => number === 0 || (index + number) % kinds === 0,
      )) {
        expectUnauthenticated(route, await hub.send(requestTo(route, headers)))
      }
    }
    assert.deepEqual(await rowCounts(hub), rows)
  })

  test("a session with another session's CSRF token is rejected and changes nothing", async () => {
    const rows = await rowCounts(hub)
    const csrf = sessions.get('operator')?.csrf ?? ''
    const headers = { cookie: sessions.get('admin')?.cookie ?? '', 'x-csrf-token': csrf }
    for (const route of ROUTES.filter(({ method }) => method !== 'GET')) {
      const response = await hub.send(requestTo(route, headers))
      expectError(response, 419, 'session_or_token_invalid')
    }
    assert.deepEqual(await rowCounts(hub), rows)
  })

  for (const role of ROLES) {
    test(`the ${role} role cannot call routes of higher roles, by session or token, and changes nothing`, async () => {
      const higher = ROUTES.filter((route) => ROLES.indexOf(route.role) > ROLES.indexOf(role))
      assert.equal(higher.length > 0, role !== 'admin')
      const rows = await rowCounts(hub)
      for (const route of higher) {
        const headers = sessions.get(role)?.headers ?? {}
        expectError(await hub.send(requestTo(route, headers)), 403, 'forbidden')
        if (!route.url.startsWith('/api/v1/')) continue
        const authorization = hub.authorization(role)
        expectError(await hub.send(requestTo(route, { authorization })), 403, 'forbidden')
      }
      assert.deepEqual(await rowCounts(hub), rows)
    })

    test(`the ${role} role can call all other routes`, async () => {
      for (const route of ROUTES) {
        if (!calls(role, route)) continue
        const response = await hub.send(requestTo(route, sessions.get(role)?.headers ?? {}))
        const { code } = response.status < 400 ? { code: '' } : Object(JSON.parse(response.text))
        assert.ok(!ACCESS_ERRORS.includes(code), `${route.name}: ${response.text}`)
        assert.ok(response.status < 500, `${route.name}: ${response.text}`)
      }
      // Pulls started by this test must not write while the next test compares row counts.
      await untilPullsEnd(hub)
    })
  }

  test('where two-factor authentication is required, a password alone opens only the listed routes', async () => {
    const env = { HUB_REQUIRE_SECOND_FACTOR: 'on' }
    await using strict = await startTestHub(engine, { withOperator: true, env })
    const { headers } = await strict.signIn()
    const restricted = ROUTES.filter(({ name }) => !(name in OPEN_WITHOUT_SECOND_FACTOR))
    assert.equal(ROUTES.length - restricted.length, Object.keys(OPEN_WITHOUT_SECOND_FACTOR).length)
    const rows = await rowCounts(strict)
    for (const route of restricted) {
      const response = await strict.send(requestTo(route, headers))
      expectError(response, 403, 'second_factor_required')
    }
    assert.deepEqual(await rowCounts(strict), rows)
    for (const route of ROUTES.filter((one) => !restricted.includes(one))) {
      const response = await strict.send(requestTo(route, headers))
      assert.doesNotMatch(response.text, /second_factor_(required|unused)/, route.name)
      assert.ok(response.status < 500, route.name)
    }
  })
})
