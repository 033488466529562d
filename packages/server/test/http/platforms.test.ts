/** Registering platforms, and the requests of the hub to them (specification 2.1 and 4.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Platform, PlatformSummary, PushResponse } from '@recordhub/protocol'
import Type from 'typebox'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers, expectObject } from '../helpers/hub/response.ts'
import {
  manifestOf,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'

const Platforms = Type.Object({
  success: Type.Literal(true),
  platforms: Type.Array(PlatformSummary),
  next_cursor: Type.Null(),
})
const MEMBERS = [
  ...[
    'id',
    'platform_name',
    'platform_title',
    'display_title',
    'platform_description',
    'connection_type',
  ],
  ...[
    'source_base_url',
    'status',
    'modules_registered',
    'health',
    'records',
    'manifest_fetched_at',
  ],
  ...[
    'latest_sync_at',
    'last_push_at',
    'hub_api_key_hint',
    'last_error',
    'missing_reviews',
    'rejected_pushes',
  ],
  'modules',
]

const NEW_PLATFORM = {
  code: 'new',
  message: 'No push was accepted and no pull has read a module yet.',
  since: null,
}

/** Asserts that every request was a GET with exactly the specified headers. */
function expectSpecifiedRequests(platform: SimulatedPlatform, tunnel: string): void {
  assert.ok(platform.requests.length > 0)
  for (const { method, headers } of platform.requests) {
    const { host: _, connection: __, ...sent } = headers
    assert.equal(method, 'GET')
    assert.deepEqual(sent, {
      accept: 'application/json',
      'x-platform-api-key': platform.source_api_key,
      [tunnel]: 'true',
    })
  }
}

describeHub('registering a platform', (hub) => {
  test('a registration returns 201 with the platform and its hub key, which is shown once', async () => {
    const modules = [simulatedModule('cases'), simulatedModule('people')]
    await using simulated = await simulatePlatform({ modules })
    const response = await hub.sendRegistration(simulated, { record_types: ['people'] })
    const body = expectObject(response, 201)
    expectMembers(body, ['success', 'platform', 'hub_api_key'])
    const schema = Type.Object({ platform: Platform, hub_api_key: Type.String() })
    const { platform, hub_api_key } = expectBody(response, 201, schema)
    expectMembers(platform, MEMBERS)
    assert.match(hub_api_key, /^rhk_[0-9A-Za-z]{43,}$/)
    const { id, manifest_fetched_at, hub_api_key_hint, ...rest } = platform
    assert.match(manifest_fetched_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(hub_api_key_hint !== null && hub_api_key_hint.length < 20)
    assert.deepEqual(rest, {
      platform_name: simulated.platform_name,
      platform_title: `Title of ${simulated.platform_name}`,
      display_title: `Title of ${simulated.platform_name}`,
      platform_description: `About ${simulated.platform_name}`,
      connection_type: 'dynamic_api',
      source_base_url: simulated.source_base_url,
      status: 'active',
      modules_registered: 1,
      health: { state: 'new', reasons: [NEW_PLATFORM] },
      records: 0,
      latest_sync_at: null,
      last_push_at: null,
      last_error: null,
      missing_reviews: 0,
      rejected_pushes: 0,
      modules: modules.map(({ records: _, ...module }) => ({
        ...module,
        registered: module.record_type === 'people',
        replayable: 0,
        added_at: null,
        removed_at: null,
        removed_fields: [],
        drift_policy: 'accept',
        complete_at: null,
      })),
    })
    const read = expectObject(await hub.get(`/api/v1/platforms/${id}`), 200)
    const details = {
      hub_keys: [
        {
          hint: hub_api_key_hint,
          created_at: manifest_fetched_at,
          expires_at: null,
          last_used_at: null,
        },
      ],
      pulls_paused_until: null,
    }
    assert.deepEqual(read, { success: true, platform: { ...platform, ...details } })
    const { platforms } = expectBody(await hub.get('/api/v1/platforms'), 200, Platforms)
    const { modules: listed, ...summary } = platform
    assert.deepEqual(
      platforms.find((one) => one.id === id),
      summary,
    )
    const query = { platform: platform.platform_name }
    assert.deepEqual(
      (await hub.call('GET /api/v1/modules', { query })).modules,
      listed.map((module) => ({ platform_name: platform.platform_name, ...module })),
    )
    expectError(await hub.push(hub_api_key, newRecord('N-1')), 422, 'module_not_registered')
  })

  test('every registration creates a different hub key', async () => {
    await using one = await simulatePlatform()
    await using two = await simulatePlatform()
    const keys = [await hub.register(one), await hub.register(two)]
    assert.equal(new Set(keys.map((registered) => registered.hub_api_key)).size, 2)
  })

  for (const [what, over, status, code] of [
    [
      'a module that the manifest does not have',
      { record_types: ['ghosts'] },
      422,
      'module_unknown',
    ],
    ['one unknown module of two', { record_types: ['cases', 'x'] }, 422, 'module_unknown'],
    ['no modules', { record_types: [] }, 400, 'invalid_request'],
    ['an empty key', { source_api_key: '' }, 400, 'invalid_request'],
    ['an unknown member', { status: 'inactive' }, 400, 'invalid_request'],
    ['a numeric key', { source_api_key: 7 }, 400, 'invalid_request'],
    ['a wrong key', { source_api_key: 'a wrong source key' }, 502, 'platform_rejected_key'],
  ] as const) {
    test(`a registration with ${what} returns ${status} ${code} and stores nothing`, async () => {
      await using simulated = await simulatePlatform()
      const before = await hub.countStoredRows()
      expectError(await hub.sendRegistration(simulated, over), status, code)
      assert.deepEqual(await hub.countStoredRows(), before)
    })
  }

  test('a registration that repeats a module registers it once', async () => {
    await using simulated = await simulatePlatform()
    const { platform } = await hub.register(simulated, { record_types: ['cases', 'cases'] })
    assert.equal(platform.modules_registered, 1)
  })

  test('of several concurrent registrations of one name, all but one return 409', async () => {
    await using simulated = await simulatePlatform()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => hub.sendRegistration(simulated)),
    )
    const rejected = responses.filter((response) => response.status !== 201)
    assert.equal(rejected.length, 4)
    for (const response of rejected) expectError(response, 409, 'platform_already_registered')
  })

  test('reading or changing an unknown platform returns 404, an invalid id 400', async () => {
    const headers = { authorization: hub.authorization('operator') }
    const body = { status: 'active' }
    for (const [id, status] of [
      ['999999', 404],
      ['9007199254740991', 404],
      ['0', 400],
      ['abc', 400],
      ['1.5', 400],
      ['true', 400],
      ['1e0', 400],
    ] as const) {
      const url = `/api/v1/platforms/${id}`
      assert.equal((await hub.send({ url, headers })).status, status)
      const change = await hub.send({ method: 'PATCH', url, headers, body })
      assert.equal(change.status, status)
    }
  })

  test('an invalid status returns 400 and changes nothing', async () => {
    await using simulated = await simulatePlatform()
    const { id } = await hub.register(simulated)
    const headers = { authorization: hub.authorization('operator') }
    for (const body of [{}, { status: 'paused' }, { status: null }, { status: ['inactive'] }]) {
      const request = { method: 'PATCH', url: `/api/v1/platforms/${id}`, headers, body } as const
      expectError(await hub.send(request), 400, 'invalid_request')
    }
    assert.match((await hub.get(`/api/v1/platforms/${id}`)).text, /"status":"active"/)
  })
})

describeHub('requests to a platform', (hub, engine) => {
  test('every request has exactly the specified headers', async () => {
    await using simulated = await simulatePlatform()
    await hub.register(simulated)
    await hub.pullAll()
    expectSpecifiedRequests(simulated, 'ngrok-skip-browser-warning')
    const paths = new Set(simulated.requests.map((request) => request.path))
    assert.deepEqual(
      [...paths],
      ['ping', 'manifest', 'records/cases'].map((p) => `/api/hub/${p}`),
    )
  })

  test('a base URL may have a path, and trailing slashes are removed', async () => {
    await using simulated = await simulatePlatform({ pathPrefix: '/apps/hr' })
    const { source_base_url } = simulated
    const over = { source_base_url: ` ${source_base_url}// ` }
    const { platform } = await hub.register(simulated, over)
    assert.equal(platform.source_base_url, source_base_url)
    await hub.pullAll()
    assert.equal(simulated.requests.at(-1)?.path, '/apps/hr/api/hub/records/cases')
  })

  test('the key is not sent to the target of a redirect, which the error names', async () => {
    await using target = await simulatePlatform()
    await using simulated = await simulatePlatform()
    const location = `${target.source_base_url}/api/hub/ping`
    for (const status of [301, 302, 303, 307, 308]) {
      simulated.setResponse('ping', respond.status(status, { Location: location }))
      const error = expectError(await hub.sendRegistration(simulated), 502, 'platform_redirected')
      assert.ok(error.message.includes(location))
    }
    simulated.setResponse('ping', null)
    await hub.register(simulated)
    simulated.setResponse('records/cases', respond.redirect(location))
    const { tasks } = await hub.pullAll()
    const task = tasks.find((one) => one.platform_name === simulated.platform_name)
    assert.equal(task?.state, 'failed')
    assert.deepEqual(target.requests, [])
  })

  test('HUB_PLATFORM_PATH and HUB_TUNNEL_HEADER set the path and the tunnel header', async () => {
    const env = { HUB_PLATFORM_PATH: 'sync-1', HUB_TUNNEL_HEADER: 'X-Tunnel-Skip' }
    await using own = await startTestHub(engine, { env })
    await using simulated = await simulatePlatform({ pathSegment: 'sync-1' })
    await own.register(simulated)
    await own.pullAll()
    expectSpecifiedRequests(simulated, 'x-tunnel-skip')
    assert.equal(simulated.requests.at(-1)?.path, '/api/sync-1/records/cases')
  })

  test('a record_type with any characters is percent-encoded, and pushes to it are accepted', async () => {
    const types = ['a b', 'ü/../x', 'a?b#c', '100%', '%2e%2e', '👍', '...', 'a+b&c=d', ';']
    const modules = types.map((type) => simulatedModule(type, { records: [simulatedRecord(1)] }))
    await using simulated = await simulatePlatform({ modules })
    const { post } = await hub.register(simulated)
    const { tasks } = await hub.pullAll()
    const mine = tasks.filter((task) => task.platform_name === simulated.platform_name)
    assert.deepEqual(new Set(mine.map((task) => task.state)), new Set(['succeeded']))
    const requested = simulated.requests.slice(2).map((request) => request.path)
    const expected = types.map((type) => `/api/hub/records/${encodeURIComponent(type)}`)
    assert.deepEqual(requested.sort(), expected.sort())
    for (const record_type of types) {
      const response = await post(newRecord('N-1', { record_type }))
      expectBody(response, 201, PushResponse)
    }
  })

  test('a renamed platform is accepted under its new name, and keeps its id, records, history and key', async () => {
    await using simulated = await simulatePlatform()
    const { id, post } = await hub.register(simulated)
    const { platform_name: before, modules } = simulated
    const after = `${before}_renamed`
    await post(newRecord('P-1'))
    const headers = { authorization: hub.authorization('operator') }
    const url = `/api/v1/platforms/${id}/rename`
    const rename = (platform_name: string) =>
      hub.send({ method: 'POST', url, headers, body: { platform_name } })
    expectError(await rename(after), 409, 'platform_name_differs')
    simulated.setResponse('manifest', respond.json(manifestOf(after, modules)))
    expectError(await rename(`${after}?`), 409, 'platform_name_differs')
    const { platform } = expectObject(await rename(after), 200)
    assert.deepEqual([Object(platform).id, Object(platform).platform_name], [id, after])
    await post(newRecord('P-2'))
    assert.equal((await hub.records(after)).length, 2)
    assert.equal((await hub.records(before)).length, 0)
    const activity = await hub.get(`/api/v1/activity?platform=${after}`)
    assert.match(activity.text, /P-1/)
    const [audited] = await hub.audit('&action=platform.rename')
    assert.deepEqual(audited?.['details'], { before, platform_name: after })
  })
})
