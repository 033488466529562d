/** The log of the requests to the receiver. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type LoggedRequest,
  LoggedRequestCounts,
  LoggedRequestDetails,
  LoggedRequestPage,
} from '@recordhub/protocol'
import { REQUEST_LOG_LIMITS } from '../../src/domain/activity/request-log.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { readTables } from '../helpers/hub/raw-requests.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import { loggedRequest, only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const PATH = '/api/v1/requests'
const { properties } = LoggedRequestDetails

const OPTIONS = { intervals: { requestLog: 1 } }

describeHub('request log', OPTIONS, (hub, engine) => {
  test('each request to the receiver is logged with its outcome and can be opened', async () => {
    const { hub_api_key, platform_name, post, patch } = await hub.registerPushing()
    const start = (await read(hub)).newest_cursor
    const { record_id } = JSON.parse((await post(newRecord('A-1'))).text)
    await patch({ ...newRecord('A-1'), full_name: 'Another' })
    const secret = 'a secret of the body'
    await post({ ...newRecord('A-2'), record_type: 'nothing', data: { api_key: secret } })
    await post('{"reference_number":')
    const headers = {
      ...pushHeaders(hub_api_key),
      'x-auth-token': 'a hidden token',
      'x-real-ip': '198.51.100.219',
    }
    await hub.send({ method: 'GET', url: '/api/webhook/check?a=1', headers })
    const logged = await untilLogged(hub, start, 5)
    const shown = logged.map(({ method, path, status, reference_number, outcome, code }) => [
      ...[method, path.replace('/api/webhook', ''), status, reference_number, outcome, code],
    ])
    assert.deepEqual(shown, [
      ['POST', '/receive', 201, 'A-1', 'created', null],
      ['PATCH', '/receive', 200, 'A-1', 'updated', null],
      ['POST', '/receive', 422, 'A-2', 'rejected', 'module_not_registered'],
      ['POST', '/receive', 400, null, 'rejected', 'invalid_json'],
      ['GET', '/check', 200, null, null, null],
    ])
    for (const one of logged) {
      assert.equal(one.platform_name, platform_name)
      assert.equal(one.key_hint, `${hub_api_key.slice(0, 7)}…`)
      assert.ok(one.latency_ms > 0)
    }
    const [created, , rejected, unreadable, check] = await Promise.all(
      logged.map(({ id }) => open(hub, id)),
    )
    assert.deepEqual([created?.record_id, created?.record_type], [record_id, 'cases'])
    assert.deepEqual(JSON.parse(created?.body ?? ''), newRecord('A-1'))
    assert.equal(JSON.parse(created?.response ?? '').record_id, record_id)
    assert.equal(rejected?.record_type, 'nothing')
    assert.equal(unreadable?.body, '{"reference_number":')
    assert.equal(created?.size, Buffer.byteLength(created?.body ?? ''))
    const all = JSON.stringify([created, rejected, check])
    const secrets = [hub_api_key, secret, 'a hidden token', '198.51.100.219']
    expectAbsent(secrets, [all])
    const tables = await readTables(hub.storage)
    expectAbsent(secrets, [
      tables.get('request_batches') ?? '',
      tables.get('request_details') ?? '',
    ])
    assert.equal(check?.headers?.['x-auth-token'], '[key removed]')
  })

  test('requests without a valid key and to unknown paths are logged, without their bodies', async () => {
    const start = (await read(hub)).newest_cursor
    await hub.push('rhk_wrongkey-4711', newRecord('a secret of 4711'))
    const { hub_api_key } = await hub.registerPushing()
    await hub.push(hub_api_key, JSON.stringify('x'.repeat(1024 * 1024 + 1)))
    const headers = pushHeaders(hub_api_key)
    for (const [method, path] of [
      ['POST', '/api/webhook/recieve?q=1'],
      ['DELETE', '/api/webhook/receive'],
    ] as const) {
      await hub.send({ method, url: path, headers, body: '{}' })
    }
    const logged = await untilLogged(hub, start, 4)
    const shown = logged.map(({ path, status, code, platform_name }) => [
      ...[path, status, code, platform_name !== null],
    ])
    assert.deepEqual(shown, [
      ['/api/webhook/receive', 401, 'api_key_invalid', false],
      ['/api/webhook/receive', 413, 'body_too_large', true],
      ['/api/webhook/recieve', 404, 'not_found', false],
      ['/api/webhook/receive', 405, 'method_not_allowed', false],
    ])
    assert.ok(logged.every(({ body_kept }) => !body_kept))
    const opened = await Promise.all(logged.map(({ id }) => open(hub, id)))
    assert.ok(opened.every(({ body, response }) => body === null && response !== null))
    expectAbsent(['a secret of 4711', hub_api_key, 'rhk_wrongkey-4711'], [JSON.stringify(opened)])
  })

  test('the log is filtered, counted and read in pages by viewers', async () => {
    const { platform_name, post } = await hub.registerPushing()
    const start = (await read(hub)).newest_cursor
    for (const reference of ['B-1', 'B-2', 'B-3']) await post(newRecord(reference))
    await post({ record_type: 'cases' })
    await untilLogged(hub, start, 4)
    const of = `platform=${platform_name}`
    const first = await read(hub, `?${of}&limit=3`)
    const references = first.requests.map(({ reference_number }) => reference_number)
    assert.deepEqual(references, [null, 'B-3', 'B-2'])
    const rest = await read(hub, `?${of}&limit=3&cursor=${first.next_cursor}`)
    assert.deepEqual([only(rest.requests).reference_number, rest.next_cursor], ['B-1', null])
    const status = only((await read(hub, `?${of}&status=4xx`)).requests).status
    assert.deepEqual([status, (await read(hub, `?${of}&status=422`)).requests.length], [422, 1])
    assert.deepEqual((await read(hub, '?platform=unknown')).requests, [])
    // Until retention deletes it.
    const expired = loggedRequest(null, { request_id: 'expired', at: '2026-01-01T00:00:00.000Z' })
    await hub.storage.requests.saveRequests([expired], 1e6)
    for (const since of ['', '&since=2026-01-01T00:00:00Z']) {
      assert.deepEqual((await read(hub, `?request_id=expired${since}`)).requests, [])
    }
    const headers = { authorization: hub.authorization('viewer') }
    const counts = await hub.send({ url: `${PATH}/counts?${of}`, headers })
    const expected = { all: 4, '2xx': 3, '4xx': 1, '5xx': 0 }
    assert.deepEqual(expectBody(counts, 200, LoggedRequestCounts).counts, expected)
    for (const invalid of ['status=9', 'since=today']) {
      expectError(await hub.get(`${PATH}?${invalid}`), 400, 'invalid_request')
    }
    expectError(await hub.get(`${PATH}/999999`), 404, 'not_found')
  })

  test('while many pushes arrive, the log keeps a sample of their bodies', async () => {
    await using own = await startTestHub(engine, { ...OPTIONS, monotonicClock: { now: () => 0 } })
    const { post } = await own.registerPushing()
    const start = (await read(own)).newest_cursor
    const count = 2 * REQUEST_LOG_LIMITS.acceptedBodiesPerSecond + 20
    const references = Array.from({ length: count }, (_, n) => `C-${n}`)
    await Promise.all(references.map((reference) => post(newRecord(reference))))
    const logged = await untilLogged(own, start, count)
    const without = logged.find(({ body_kept }) => !body_kept)
    assert.ok(logged.some(({ body_kept }) => body_kept))
    assert.match(without?.reference_number ?? '', /^C-/)
    const { headers, body, response } = await open(own, without?.id ?? 0)
    assert.deepEqual([headers, body, response], [null, null, null])
  })
})

async function read(hub: TestHub, query = '') {
  return expectBody(await hub.get(`${PATH}${query}`), 200, LoggedRequestPage)
}

async function open(hub: TestHub, id: number): Promise<LoggedRequestDetails> {
  const { text } = await hub.get(`${PATH}/${id}`)
  const { request } = JSON.parse(text)
  assert.deepEqual(Object.keys(request).toSorted(), Object.keys(properties).toSorted())
  return request
}

/** Follows the log from a position until this number of requests was logged. */
function untilLogged(hub: TestHub, start: string, count: number): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = []
  let after = start
  return until(async () => {
    const page = await read(hub, `?after=${after}&limit=20`)
    found.push(...page.requests)
    after = page.newest_cursor
    return found.length >= count ? found : null
  }, `${count} requests are logged`)
}
