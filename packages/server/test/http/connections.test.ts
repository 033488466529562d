/** Testing a registered platform, revealing and rotating its hub key, and changing its address or source key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ConnectionCheck,
  ConnectionTest,
  HubKeyResponse,
  Platform,
  type PlatformDetails,
  ProbeResponse,
  PushCheckResponse,
  PushResponse,
} from '@recordhub/protocol'
import Type from 'typebox'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import {
  expectAbsent,
  expectBody,
  expectError,
  expectMembers,
  type TestResponse,
} from '../helpers/hub/response.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'
import {
  type Responder,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

const ChangedResponse = Type.Object({ success: Type.Literal(true), platform: Platform })
const NDJSON = 'application/x-ndjson'

type Kit = RegisteredPlatform & {
  hub: TestHub
  simulated: SimulatedPlatform
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Adds a platform to a hub without other active platforms. Disposing of it deactivates it. */
async function addKit(hub: TestHub): Promise<Kit> {
  const simulated = await simulatePlatform({
    modules: [simulatedModule('cases'), simulatedModule('visits'), simulatedModule('notes')],
  })
  simulated.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2))
  const registered = await hub.register(simulated, { record_types: ['cases', 'visits'] })
  return {
    ...registered,
    hub,
    simulated,
    async [Symbol.asyncDispose]() {
      await hub.setStatus(registered.id, 'inactive')
      await simulated[Symbol.asyncDispose]()
    },
  }
}

function postTo({ hub, id }: Kit, path: string, body: unknown, headers?: Record<string, string>) {
  const caller = headers ? { headers } : 'operator'
  return hub.callAs(caller, 'POST', `/api/v1/platforms/${id}/${path}`, body)
}

function rotate(kit: Kit, grace_seconds: unknown): Promise<TestResponse> {
  const url = `/api/v1/platforms/${kit.id}/hub-key/rotate`
  return kit.hub.callAs('hub_keys', 'POST', url, { grace_seconds })
}

function patch(kit: Kit, body: Record<string, unknown>): Promise<TestResponse> {
  return kit.hub.callAs('operator', 'PATCH', `/api/v1/platforms/${kit.id}`, body)
}

async function readPlatform({ hub, id }: Kit): Promise<PlatformDetails> {
  return (await hub.call('GET /api/v1/platforms/:id', { params: { id } })).platform
}

async function runTest(kit: Kit, body: unknown): Promise<ConnectionTest> {
  return expectBody(await postTo(kit, 'test', body), 200, ConnectionTest)
}

function testEverything(kit: Kit): Promise<ConnectionTest> {
  return runTest(kit, { check_everything: true })
}

const failing = (checks: ConnectionCheck[]) => checks.filter((one) => !one.ok)

describeHub('testing a registered platform', (hub) => {
  test('the test calls only ping and manifest unless check_everything is set', async () => {
    await using kit = await addKit(hub)
    for (const body of [undefined, {}, { check_everything: false }]) {
      kit.simulated.requests.length = 0
      const { success, checks } = await runTest(kit, body)
      assert.equal(success, true)
      assert.deepEqual(
        checks.map((one) => one.check),
        ['reachable', 'ping', 'manifest'],
      )
      const paths = kit.simulated.requests.map((one) => one.path)
      assert.deepEqual(paths, ['/api/hub/ping', '/api/hub/manifest'])
    }
    expectError(await postTo(kit, 'test', { everything: true }), 400, 'invalid_request')
  })

  test('the test calls each endpoint of the registered modules and stores nothing', async () => {
    await using kit = await addKit(hub)
    const before = await kit.hub.countStoredRows()
    kit.simulated.requests.length = 0
    const { success, checks } = await testEverything(kit)
    assert.equal(success, true)
    assert.deepEqual(
      checks.map((one) => one.check),
      ['reachable', 'ping', 'manifest', 'records/cases', 'records/visits', 'search'],
    )
    expectMembers(only(checks.slice(0, 1)), [
      ...['check', 'ok', 'code', 'message', 'cause', 'fix', 'suggested_base_url'],
      ...['total', 'took_ms'],
    ])
    assert.deepEqual(
      checks.map(({ took_ms }) => took_ms !== null && took_ms >= 0),
      [false, true, true, true, true, true],
    )
    assert.deepEqual(
      checks.map((one) => one.total),
      [null, null, null, 2, 0, null],
    )
    assert.equal(checks[3]?.message, 'OK: 2 records reported.')
    assert.equal(checks[4]?.message, 'OK: the list is empty; 0 records reported.')
    assert.equal(kit.simulated.requests.length, 5)
    assert.deepEqual(await kit.hub.countStoredRows(), before)
    expectAbsent([kit.simulated.source_api_key], [JSON.stringify(checks), kit.hub.log()])
  })

  test('a missing search endpoint does not fail the test', async () => {
    await using kit = await addKit(hub)
    kit.simulated.setResponse('search', respond.status(404))
    const { success, checks } = await testEverything(kit)
    assert.equal(success, true)
    assert.match(checks.at(-1)?.message ?? '', /optional/)
  })

  test('JSON with the type of HTML, which PHP sends by default, passes with a warning', async () => {
    await using kit = await addKit(hub)
    const { platform_name } = kit.simulated
    const html = (value: object) => respond.text(JSON.stringify(value), 'text/html')
    const ping = { success: true, message: 'online', platform_name }
    kit.simulated.setResponse('ping', html(ping))
    kit.simulated.setResponse('records/cases', html({ success: true, total: 0, records: [] }))
    const { success, checks } = await testEverything(kit)
    assert.equal(success, true)
    const warned = checks.filter(({ message }) => message.includes('Content-Type is text/html.'))
    assert.deepEqual(
      warned.map(({ check }) => check),
      ['ping', 'records/cases'],
    )
  })

  const FAILURES: [string, Responder, string, RegExp][] = [
    [
      'a record without reference',
      respond.json({ success: true, records: [{}] }),
      'platform_response_invalid',
      /first record.*reference_number/,
    ],
    [
      'no list of records',
      respond.json({ success: true }),
      'platform_response_invalid',
      /"records"/,
    ],
    [
      'success: false',
      respond.json({ success: false, message: 'Shut', records: [] }),
      'platform_reports_failure',
      /Shut/,
    ],
    ['an HTML page', respond.html(), 'platform_not_json', /HTML/],
    ['500', respond.status(500), 'platform_failed', /500/],
    ['404', respond.status(404), 'platform_path_missing', /records\/cases/],
    ['nothing', respond.disconnect(), 'platform_unreachable', /cut off/],
  ]
  test('a failing records endpoint is reported with the cause and the fix', async () => {
    await using kit = await addKit(hub)
    for (const [name, response, code, message] of FAILURES) {
      kit.simulated.setResponse('records/cases', response)
      const { success, checks } = await testEverything(kit)
      const failure = only(failing(checks))
      assert.equal(success, false, name)
      assert.deepEqual([failure.check, failure.code], ['records/cases', code], name)
      assert.match(failure.message, message, name)
      assert.ok(failure.cause.length > 20 && failure.fix.length > 20, name)
      assert.equal(checks.length, 6, name)
    }
  })

  test('only the beginning of an endless response is read', async () => {
    await using kit = await addKit(hub)
    const record = JSON.stringify(simulatedRecord(1))
    const closed = Promise.withResolvers<void>()
    kit.simulated.setResponse('records/cases', (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.on('close', closed.resolve).on('error', () => undefined)
      response.write('{"success":true,"records":[')
      const writeMore = () => {
        while (response.writable && response.write(`${record},`.repeat(100)));
      }
      response.on('drain', writeMore)
      writeMore()
    })
    const { success, checks } = await testEverything(kit)
    assert.deepEqual(failing(checks), [])
    assert.equal(success, true)
    await closed.promise
  })

  test('the test ends at a fatal error: unreachable, key rejected or another platform', async () => {
    await using kit = await addKit(hub)
    kit.simulated.setResponse('manifest', respond.status(401))
    const rejected = await testEverything(kit)
    assert.deepEqual(
      rejected.checks.map((one) => [one.check, one.ok]),
      [
        ['reachable', true],
        ['ping', true],
        ['manifest', false],
      ],
    )
    kit.simulated.setResponse('manifest', null)
    await kit.hub.sql(`UPDATE platforms SET platform_name = 'other' WHERE platform_id = ${kit.id}`)
    const other = await testEverything(kit)
    assert.equal(only(failing(other.checks)).code, 'platform_name_differs')
    await kit.simulated.goOffline()
    const offline = await testEverything(kit)
    assert.equal(only(offline.checks).check, 'reachable')
    assert.equal(only(offline.checks).code, 'platform_unreachable')
  })

  test('a test and a probe are streamed as NDJSON if the client accepts it', async () => {
    await using kit = await addKit(hub)
    const headers = { authorization: kit.hub.authorization('operator'), accept: NDJSON }
    const response = await postTo(kit, 'test', { check_everything: true }, headers)
    assert.match(response.header('content-type'), /x-ndjson/)
    const [last, ...checks] = linesOf(response).reverse()
    assert.deepEqual(last, { success: true, checks: checks.reverse() })
    assert.equal(checks.length, 6)

    const { source_base_url, source_api_key } = kit.simulated
    const probe = { method: 'POST', url: '/api/v1/platforms/probe', headers } as const
    const body = { source_base_url, source_api_key, check_everything: true }
    const probed = linesOf(await kit.hub.send({ ...probe, body }))
    // All modules of the manifest, since none has been selected yet.
    assert.equal(probed.length, 8)
    const asJson = await kit.hub.send({
      ...probe,
      headers: { ...headers, accept: 'application/json' },
      body,
    })
    const withoutTimes = (response: unknown) =>
      JSON.stringify(response, (name, value) => (name === 'took_ms' ? null : value))
    assert.equal(withoutTimes(probed.at(-1)), withoutTimes(expectBody(asJson, 200, ProbeResponse)))
    const wrong = { source_base_url, source_api_key: 'a wrong key' }
    const linesOfFailedProbe = linesOf(await kit.hub.send({ ...probe, body: wrong }))
    assert.deepEqual(
      linesOfFailedProbe.map((line) => Object(line).check ?? 'end'),
      ['reachable', 'ping', 'manifest', 'end'],
    )
  })
})

describeHub('the hub key of a platform', (hub, engine) => {
  test('an operator reveals the key with the password, which the audit log records', async () => {
    await using kit = await addKit(hub)
    const { email } = await hub.createOperator()
    const { headers } = await kit.hub.signIn(email)
    const response = await postTo(kit, 'hub-key/reveal', { password: PASSWORD }, headers)
    assert.equal(expectBody(response, 200, HubKeyResponse).hub_api_key, kit.hub_api_key)
    assert.equal(response.header('cache-control'), 'no-store')
    const audit = await kit.hub.sql(
      `SELECT action, actor, target FROM audit ORDER BY audit_id DESC LIMIT 1`,
    )
    assert.deepEqual(
      { ...only(audit) },
      {
        action: 'hub_key.reveal',
        actor: email,
        target: kit.simulated.platform_name,
      },
    )
    assert.ok((await kit.hub.activity()).some((entry) => entry.kind === 'platform.key_revealed'))
    expectAbsent([kit.hub_api_key, PASSWORD], [kit.hub.log()])
  })

  test('an operator who has no password can reveal the key right after signing in', async () => {
    await using kit = await addKit(hub)
    const { id, email } = await hub.createOperator()
    const { headers } = await kit.hub.signIn(email)
    expectError(await postTo(kit, 'hub-key/reveal', {}, headers), 403, 'password_wrong')
    await kit.hub.sql(`DELETE FROM operator_accounts WHERE operator_id = '${id}'`)
    const shown = await postTo(kit, 'hub-key/reveal', {}, headers)
    assert.equal(expectBody(shown, 200, HubKeyResponse).hub_api_key, kit.hub_api_key)
  })

  test('wrong passwords are rejected, audited and limited; a token without the scope cannot reveal the key', async () => {
    await using kit = await addKit(hub)
    const { email } = await hub.createOperator()
    const { headers } = await kit.hub.signIn(email)
    const attempt = (password: string) => postTo(kit, 'hub-key/reveal', { password }, headers)
    for (let n = 0; n < 5; n++) expectError(await attempt(`wrong ${n}`), 403, 'password_wrong')
    const limited = await attempt(PASSWORD)
    expectError(limited, 429, 'too_many_requests')
    assert.ok(Number(limited.header('retry-after')) > 0)
    const audited = `SELECT * FROM audit WHERE action = 'hub_key.reveal_rejected' AND actor = '${email}'`
    assert.equal((await kit.hub.sql(audited)).length, 5)
    const asToken = await postTo(kit, 'hub-key/reveal', { password: PASSWORD })
    expectError(asToken, 403, 'scope_required')
    const viewer = { authorization: kit.hub.authorization('viewer') }
    for (const [path, body] of [
      ['hub-key/reveal', { password: PASSWORD }],
      ['hub-key/rotate', { grace_seconds: 0 }],
      ['test', {}],
    ] as const) {
      expectError(await postTo(kit, path, body, viewer), 403, 'forbidden')
    }
  })

  test('an old key can be ended early, and the new one stays valid', async () => {
    await using kit = await addKit(hub)
    const key = expectBody(await rotate(kit, 3600), 200, HubKeyResponse).hub_api_key
    const end = (as: 'viewer' | 'operator') =>
      hub.callAs(as, 'DELETE', `/api/v1/platforms/${kit.id}/hub-key/previous`)
    expectError(await end('viewer'), 403, 'forbidden')
    assert.ok((await hub.push(kit.hub_api_key, newRecord('N-1'))).status < 300)
    assert.equal((await end('operator')).status, 200)
    expectError(await hub.push(kit.hub_api_key, newRecord('N-1')), 401, 'api_key_invalid')
    assert.ok((await hub.push(key, newRecord('N-1'))).status < 300)
    expectError(await end('operator'), 404, 'not_found')
    const { audit } = await hub.call('GET /api/v1/audit', { as: 'admin' })
    assert.equal(audit.filter(({ action }) => action === 'hub_key.end_previous').length, 1)
  })

  test('after a rotation the old key works until the grace period ends, even if it is cached', async () => {
    let now = Date.parse('2026-03-10T08:00:00.000Z')
    const clock = { now: () => new Date(now) }
    await using hub = await startTestHub(engine, { clock })
    await using kit = await addKit(hub)
    const { hub_api_key: old } = kit
    expectBody(await hub.push(old, newRecord('N-1')), 201, PushResponse)
    const rotated = await rotate(kit, 3600)
    const key = expectBody(rotated, 200, HubKeyResponse).hub_api_key
    assert.notEqual(key, old)
    for (const one of [old, key]) assert.equal((await hub.push(one, newRecord('N-1'))).status, 200)
    const { hub_keys, last_push_at } = await readPlatform(kit)
    assert.equal(last_push_at, '2026-03-10T08:00:00.000Z')
    assert.deepEqual(
      hub_keys.map(({ expires_at, last_used_at }) => [expires_at, last_used_at]),
      [
        [null, '2026-03-10T08:00:00.000Z'],
        ['2026-03-10T09:00:00.000Z', '2026-03-10T08:00:00.000Z'],
      ],
    )
    const check = (one: string) =>
      hub.send({ url: '/api/webhook/check', headers: { 'x-api-key': one } })
    const SUNSET = 'Tue, 10 Mar 2026 09:00:00 GMT'
    for (const [one, valid_until, sunset] of [
      [old, '2026-03-10T09:00:00.000Z', SUNSET],
      [key, null, ''],
    ] as const) {
      const checked = await check(one)
      assert.equal(expectBody(checked, 200, PushCheckResponse).valid_until, valid_until)
      const pushed = await hub.push(one, newRecord('N-1'))
      const rejected = await hub.push(one, newRecord('N-1', { record_type: 'ghosts' }))
      const headers = [checked, pushed, rejected].map(({ header }) => header('sunset'))
      assert.deepEqual(headers, [sunset, sunset, sunset])
      const { warnings } = expectBody(pushed, 200, PushResponse)
      assert.match(String(warnings), valid_until === null ? /^undefined$/ : /was replaced .*T09:00/)
    }
    now += 3_600_000
    const { message } = expectError(await check(old), 401, 'api_key_invalid')
    assert.match(message, /This key was replaced on 2026-03-10/)
    expectError(await hub.push(old, newRecord('N-2')), 401, 'api_key_invalid')
    expectBody(await hub.push(key, newRecord('N-2')), 201, PushResponse)
    assert.equal((await readPlatform(kit)).hub_keys.length, 1)
    expectAbsent([old, key], [hub.log(), JSON.stringify(await hub.activity())])
  })

  test('a rotation without a grace period ends the old key; invalid periods return 400', async () => {
    await using kit = await addKit(hub)
    expectBody(await kit.hub.push(kit.hub_api_key, newRecord('N-1')), 201, PushResponse)
    const rotated = await rotate(kit, 0)
    const { hub_api_key } = expectBody(rotated, 200, HubKeyResponse)
    expectError(await kit.hub.push(kit.hub_api_key, newRecord('N-2')), 401, 'api_key_invalid')
    expectBody(await kit.hub.push(hub_api_key, newRecord('N-2')), 201, PushResponse)
    for (const grace_seconds of [-1, 1.5, '60', 2_592_001]) {
      expectError(await rotate(kit, grace_seconds), 400, 'invalid_request')
    }
  })
})

describeHub('changing the address or source key of a platform', (hub) => {
  test('the hub calls the platform at the new address with the new key', async () => {
    await using kit = await addKit(hub)
    const { platform_name, modules } = kit.simulated
    await using moved = await simulatePlatform({
      platform_name,
      source_api_key: 'a new source key of the platform',
      modules,
    })
    await kit.simulated.goOffline()
    const { source_base_url, source_api_key } = moved
    const response = await patch(kit, { source_base_url: `${source_base_url}/`, source_api_key })
    const { platform } = expectBody(response, 200, ChangedResponse)
    assert.equal(platform.source_base_url, source_base_url)
    assert.deepEqual(
      (await kit.hub.pullAll()).tasks.map((task) => task.state),
      ['succeeded', 'succeeded'],
    )
    const pulls = await kit.hub.call('GET /api/v1/platforms/:id/pulls', { params: { id: kit.id } })
    assert.equal(pulls.next_cursor, null)
    const { state, modules_read, counts } = only(pulls.pulls)
    assert.deepEqual([state, modules_read, counts.created], ['succeeded', 2, 2])
    const entry = (await kit.hub.activity()).find((one) => one.kind === 'platform.source_changed')
    assert.match(entry?.message ?? '', /new source API key/)
    expectAbsent([source_api_key], [kit.hub.log(), response.text, JSON.stringify(entry)])
    const same = await patch(kit, { source_base_url })
    assert.equal(same.status, 200)
    const entries = (await kit.hub.activity()).filter(
      (one) => one.kind === 'platform.source_changed',
    )
    assert.equal(entries.length, 1)
  })

  test('a wrong key, another platform or an invalid address is rejected and not stored', async () => {
    await using kit = await addKit(hub)
    await using other = await simulatePlatform({ source_api_key: kit.simulated.source_api_key })
    const expectRejected = async (body: Record<string, unknown>, status: number, code: string) =>
      expectError(await patch(kit, { ...body, status: 'inactive' }), status, code)
    await expectRejected({ source_api_key: 'a wrong key' }, 502, 'platform_rejected_key')
    await expectRejected({ source_api_key: 'no\nkey' }, 422, 'source_key_invalid')
    const { source_api_key } = other
    await expectRejected(
      { source_base_url: other.source_base_url, source_api_key },
      409,
      'platform_name_differs',
    )
    await expectRejected(
      { source_base_url: 'http://169.254.169.254', source_api_key },
      422,
      'platform_address_rejected',
    )
    await expectRejected({ source_base_url: 'nonsense' }, 422, 'source_url_invalid')
    const { source_base_url, status } = await readPlatform(kit)
    assert.deepEqual([source_base_url, status], [kit.simulated.source_base_url, 'active'])
    assert.equal((await testEverything(kit)).success, true)
  })

  test('the stored source key is sent to no other scheme, host or port, and the attempt is audited', async () => {
    await using kit = await addKit(hub)
    const { source_base_url, platform_name, modules } = kit.simulated
    await using attacker = await simulatePlatform({ platform_name, modules })
    const { port } = new URL(source_base_url)
    const addresses = [
      attacker.source_base_url,
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
    ]
    kit.simulated.requests.length = 0
    for (const address of addresses) {
      expectError(await patch(kit, { source_base_url: address }), 422, 'source_key_required')
      const [entry] = await kit.hub.audit()
      assert.deepEqual(
        [entry?.['action'], entry?.['target'], entry?.['details']],
        [
          'platform.probe',
          platform_name,
          {
            source_base_url: address,
            before: source_base_url,
            new_source_key: false,
          },
        ],
      )
    }
    assert.deepEqual([...attacker.requests, ...kit.simulated.requests], [])
  })

  test('another path at the same scheme, host and port keeps the stored source key', async () => {
    await using kit = await addKit(hub)
    const address = kit.simulated.source_base_url
    const moved = await patch(kit, { source_base_url: `${address}/api` })
    assert.equal(expectBody(moved, 200, ChangedResponse).platform.source_base_url, address)
    assert.equal((await testEverything(kit)).success, true)
  })

  test('an attempt is audited before the first request to the address', async () => {
    await using kit = await addKit(hub)
    let audited: unknown
    await using attacker = await simulatePlatform({ modules: kit.simulated.modules })
    attacker.setResponse('ping', async (request, response) => {
      audited = (await kit.hub.audit())[0]?.['details']
      await respond.status(500)(request, response)
    })
    const { source_base_url, source_api_key } = attacker
    expectError(await patch(kit, { source_base_url, source_api_key }), 502, 'platform_failed')
    assert.deepEqual(audited, {
      source_base_url,
      before: kit.simulated.source_base_url,
      new_source_key: true,
    })
  })
})

function linesOf(response: TestResponse): unknown[] {
  return response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
