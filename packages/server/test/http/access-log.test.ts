import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectObject } from '../helpers/hub/response.ts'
import { METRICS_TOKEN, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { until } from '../helpers/time/until.ts'

/** Waits until the access log has this number of entries, and returns them. */
function untilLogged(hub: TestHub, count: number): Promise<Record<string, unknown>[]> {
  return until(async () => {
    const entries = entriesOf(hub)
    return entries.length >= count ? entries : null
  }, `the access log has ${count} entries`)
}

function entriesOf(hub: TestHub): Record<string, unknown>[] {
  const lines = hub.log().split('\n').filter(Boolean)
  return lines.map((line) => Object(JSON.parse(line))).filter((entry) => entry.log === 'access')
}

describeOnEngines('access log', (engine) => {
  test('without HUB_ACCESS_LOG, requests are not logged', async () => {
    await using hub = await startTestHub(engine)
    const { post } = await hub.registerPushing()
    await post(newRecord('E-1'))
    assert.deepEqual(entriesOf(hub), [])
  })

  test('each request has one entry with its route, status, time, size and kind of caller', async () => {
    const env = { HUB_ACCESS_LOG: 'on', HUB_LOG_LEVEL: 'error', ...WITH_METRICS }
    await using hub = await startTestHub(engine, { env, withOperator: true })
    const { hub_api_key } = await hub.registerPushing()
    const session = await hub.signIn()
    const before = entriesOf(hub).length
    const body = JSON.stringify(newRecord('E-1', { full_name: 'Cassandra Confidential' }))
    const headers = pushHeaders(hub_api_key)
    const pushed = await sendOverSocket(hub, {
      ...{ method: 'POST', url: '/api/webhook/receive', headers, body },
    })
    const authorization = hub.authorization('viewer')
    const requests = [
      { url: '/api/v1/records?q=Cassandra', headers: { authorization } },
      { url: '/api/v1/session', headers: { cookie: session.cookie } },
      { url: '/metrics', headers: { authorization: `Bearer ${METRICS_TOKEN}` } },
      { url: '/metrics', headers: { authorization: 'Bearer wrong' } },
      { url: '/nowhere?key=Cassandra' },
    ]
    for (const request of requests) await sendOverSocket(hub, request)
    const entries = (await untilLogged(hub, before + 6)).slice(before)
    assert.deepEqual(
      entries.map(({ method, route, status, caller }) => ({ method, route, status, caller })),
      [
        ...[{ method: 'POST', route: '/api/webhook/receive', status: 201, caller: 'platform' }],
        ...[{ method: 'GET', route: '/api/v1/records', status: 200, caller: 'program' }],
        ...[{ method: 'GET', route: '/api/v1/session', status: 200, caller: 'operator' }],
        ...[{ method: 'GET', route: '/metrics', status: 200, caller: 'scraper' }],
        ...[{ method: 'GET', route: '/metrics', status: 401, caller: 'anyone' }],
        ...[{ method: 'GET', route: null, status: 404, caller: 'anyone' }],
      ],
    )
    for (const { bytes, duration_ms, client, time } of entries) {
      assert.ok(Number(bytes) > 100 && Number(duration_ms) >= 0 && Number(time) > 0)
      assert.equal(client, '127.0.0.1')
    }
    assert.equal(entries[0]?.['request_id'], pushed.header('x-request-id'))
    assert.ok(expectObject(pushed, 201)['record_id'])
    const text = JSON.stringify(entries)
    const secrets = [hub_api_key, METRICS_TOKEN, 'Cassandra', 'E-1', authorization.slice(7)]
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} was logged`)
  })
})
