/** Requests to the receiver that are only counted, not stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PushError, PushErrorPage } from '@recordhub/protocol'
import { createKey, HUB_KEY_PREFIX } from '../../src/domain/platform/api-key.ts'
import { CONTINUOUS_ALERTS, createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const PATH = '/api/v1/push-errors'
const RECEIVER = '/api/webhook/receive'
const AT_ONCE = { pushErrors: 1 }

// They are counted by the hour.
const clock = createStoppedClock()

describeHub('push errors', { intervals: AT_ONCE, env: { HUB_TRUST_PROXY: 'on' }, clock }, (hub) => {
  test('pushes with a wrong key are counted by hour with the masked key and the address, without their body', async () => {
    const body = JSON.stringify(newRecord('secret-body-4711'))
    for (const _ of [1, 2, 3]) await send(hub, 'rhk_wrongkey', body, '203.0.113.5')
    const found = await untilCounted(hub, 'key_invalid', 3)
    const { id, last_at, request_id, ...counted } = found
    assert.deepEqual(await listErrors(hub, `?request_id=${request_id}`), [found])
    assert.deepEqual(counted, {
      hour: `${last_at.slice(0, 13)}:00:00.000Z`,
      reason: 'key_invalid',
      key_hint: 'rhk_wro…',
      address: '203.0.113.5',
      requests: 3,
      platforms: [],
    })
    assert.ok(id > 0)
    const stored = JSON.stringify(await hub.sql('SELECT * FROM push_errors'))
    expectAbsent(['rhk_wrongkey', 'secret-body-4711'], [stored])
  })

  test('a push without a key is counted, and its IPv6 address is saved as its network', async () => {
    const { 'x-api-key': _, ...headers } = pushHeaders('')
    const from = { ...headers, 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' }
    expectError(
      await hub.send({ method: 'PATCH', url: RECEIVER, headers: from, body: '{}' }),
      401,
      'api_key_invalid',
    )
    const found = await untilCounted(hub, 'key_missing', 1)
    assert.deepEqual([found.key_hint, found.address], [null, '2001:db8:1:2::/64'])
  })

  test('unreadable bodies with a valid key are counted on their platform by reason', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const { 'content-type': _, ...untyped } = pushHeaders(hub_api_key)
    const large = JSON.stringify('x'.repeat(1024 * 1024 + 1))
    expectError(await hub.push(hub_api_key, '{"data":'), 400, 'invalid_json')
    expectError(await hub.push(hub_api_key, large), 413, 'body_too_large')
    const keys = Array.from({ length: 10_001 }, (_, at) => `"k${at}":1`)
    expectError(await hub.push(hub_api_key, `{"data":{${keys}}}`), 422, 'invalid_record')
    for (const type of ['text/plain', undefined]) {
      const headers = type === undefined ? untyped : { ...untyped, 'content-type': type }
      const response = await hub.send({ method: 'POST', url: RECEIVER, headers, body: '{}' })
      expectError(response, 415, 'unsupported_media_type')
    }
    for (const [reason, requests] of [
      ['invalid_json', 1],
      ['body_too_large', 1],
      ['too_many_keys', 1],
      ['unsupported_media_type', 2],
    ] as const) {
      const found = await untilCounted(hub, reason, requests, `&platform=${platform_name}`)
      assert.deepEqual(found.platforms, [{ platform_name, match: 'key' }])
      assert.equal(found.key_hint, `${hub_api_key.slice(0, 7)}…`)
    }
  })

  test('a platform shows the requests that have the prefix of its key or come from one of its addresses', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const other = await hub.registerPushing()
    await send(hub, hub_api_key, JSON.stringify(newRecord('A-1')), '203.0.113.77')
    await send(hub, `${hub_api_key.slice(0, -1)}!`, '{}', '203.0.113.78')
    await send(hub, createKey(HUB_KEY_PREFIX).key, '{}', '203.0.113.77')
    const found = await until(async () => {
      const rows = await listErrors(hub, `?platform=${platform_name}`)
      return rows.length === 2 ? rows : null
    }, 'both requests are shown on the platform')
    const matches = found.map(({ address, platforms }) => [address, only(platforms).match])
    assert.deepEqual(matches.sort(), [
      ['203.0.113.77', 'address'],
      ['203.0.113.78', 'key_prefix'],
    ])
    assert.deepEqual(await listErrors(hub, `?platform=${other.platform_name}`), [])
    assert.deepEqual(await listErrors(hub, '?platform=unknown'), [])
  })

  test('accepted pushes and pushes that are stored as rejected are not counted', async () => {
    const { post, platform_name } = await hub.registerPushing()
    await post(newRecord('A-1'))
    expectError(await post({ record_type: 'cases' }), 422, 'invalid_record')
    expectError(await post('no JSON'), 400, 'invalid_json')
    await untilCounted(hub, 'invalid_json', 1, `&platform=${platform_name}`)
    assert.equal((await listErrors(hub, `?platform=${platform_name}`)).length, 1)
  })

  test('viewers list push errors in pages, and a request without a session returns 401', async () => {
    for (const n of [1, 2, 3]) await send(hub, 'rhk_pages', '{}', `198.51.100.${n}`)
    const all = await until(async () => {
      const rows = await listErrors(hub, '?reason=key_invalid')
      return rows.filter(({ key_hint }) => key_hint === 'rhk_pag…').length === 3 ? rows : null
    }, 'three senders are counted')
    const headers = { authorization: hub.authorization('viewer') }
    const first = await hub.send({ url: `${PATH}?reason=key_invalid&limit=2`, headers })
    const { push_errors, next_cursor } = expectBody(first, 200, PushErrorPage)
    assert.deepEqual(push_errors, all.slice(0, 2))
    const rest = await listErrors(hub, `?reason=key_invalid&cursor=${next_cursor}`)
    assert.deepEqual(rest, all.slice(2))
    expectError(await hub.send({ url: PATH }), 401, 'not_signed_in')
    expectError(await hub.get(`${PATH}?reason=x`), 400, 'invalid_request')
  })
})

describeOnEngines('rising push errors', (engine) => {
  test('many pushes with wrong keys raise an alert for their platform, or for unknown senders', async () => {
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, {
      intervals: { ...CONTINUOUS_ALERTS, ...AT_ONCE },
      clock,
    })
    const { hub_api_key, platform_name } = await hub.registerPushing()
    for (let n = 0; n < 20; n += 1) await send(hub, `${hub_api_key.slice(0, 7)}${n}`, '{}')
    for (let n = 0; n < 20; n += 1) await send(hub, '-wrong-', '{}')
    const alerts = await hub.untilAlertsOpen('push_errors_rising', 2)
    const messages = alerts.map(({ platform_name, message }) => [platform_name, message])
    assert.deepEqual(messages.map(([name]) => name).sort(), [null, platform_name].sort())
    for (const [, message] of messages) assert.match(message ?? '', /^20 requests/)
  })

  test('push errors that are not saved yet are saved when the hub stops', async () => {
    await using hub = await startTestHub(engine)
    await send(hub, 'rhk_last', '{}')
    assert.deepEqual(await listErrors(hub), [])
    await hub.restart()
    assert.equal(only(await listErrors(hub)).requests, 1)
  })
})

/** A push from a client address, through the proxy. */
function send(hub: TestHub, key: string, body: string, address = '192.0.2.9') {
  const headers = { ...pushHeaders(key), 'x-forwarded-for': address }
  return hub.send({ method: 'POST', url: RECEIVER, headers, body })
}

async function listErrors(hub: TestHub, query = ''): Promise<PushError[]> {
  return expectBody(await hub.get(`${PATH}${query}`), 200, PushErrorPage).push_errors
}

/** Waits until the latest count of a reason has reached this number of requests. */
function untilCounted(
  hub: TestHub,
  reason: PushError['reason'],
  requests: number,
  query = '',
): Promise<PushError> {
  return until(async () => {
    const [newest] = await listErrors(hub, `?reason=${reason}${query}`)
    return newest?.requests === requests ? newest : null
  }, `${requests} requests are counted as ${reason}`)
}
