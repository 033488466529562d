/** Ordering by `occurred_at`, and simultaneous pushes over real connections. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

const RECEIVER = '/api/webhook/receive'

describeHub('occurred_at', (hub) => {
  const recordAt = (occurred_at: string, status: string, over = {}) =>
    newRecord('N-1', { occurred_at, data: { status }, ...over })

  test('an older push returns 200 as stale with the record_id and changes nothing', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const newer = await hub.push(hub_api_key, recordAt('2026-03-01T12:00:00Z', 'closed'))
    const { record_id } = expectBody(newer, 201, PushResponse)
    for (const method of ['POST', 'PATCH'] as const) {
      // An hour earlier, although its text sorts after the newer one.
      const older = recordAt('2026-03-01T13:00:00+02:00', 'open', { full_name: 'Old' })
      const response = await hub.push(hub_api_key, older, method)
      const stale = expectBody(response, 200, PushResponse)
      assert.deepEqual([stale.outcome, stale.record_id], ['stale', record_id])
      assert.doesNotMatch(stale.message, /New record/)
      assert.deepEqual(stale.warnings, [
        'Nothing was changed: a push with the later occurred_at 2026-03-01T12:00:00Z has set these values.',
      ])
    }
    const stored = only(await hub.records(platform_name))
    assert.deepEqual([stored.full_name, stored.data], ['Ann Example', { status: 'closed' }])
    assert.deepEqual(await hub.history(record_id), [])
    assert.deepEqual(await hub.rejected(platform_name), [])
  })

  test('pushes are ordered by occurred_at down to the nanosecond', async () => {
    const { post, platform_name } = await hub.registerPushing()
    await post(recordAt('2026-03-01T10:00:00.123456789Z', 'second'))
    const older = await post(recordAt('2026-03-01T10:00:00.123456788Z', 'first'))
    assert.equal(expectBody(older, 200, PushResponse).outcome, 'stale')
    assert.deepEqual(only(await hub.records(platform_name)).data, { status: 'second' })
  })
})

describeHub('many connections at once', (hub) => {
  test('50 POSTs of one new reference number create one record, and one of them returns 201', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => pushOverSocket(hub, hub_api_key, newRecord('N-1'))),
    )
    const { record_id } = only(await hub.records(platform_name))
    const statuses = responses.map((response) => response.status)
    assert.equal(statuses.filter((status) => status === 201).length, 1)
    assert.equal(statuses.filter((status) => status === 200).length, 49)
    for (const response of responses) {
      assert.equal(expectBody(response, response.status, PushResponse).record_id, record_id)
    }
  })

  test('a chunked body over the limit returns 413 before it ends', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const before = await hub.countStoredRows()
    const { status, body } = await pushEndlessly(hub, hub_api_key)
    assert.equal(status, 413)
    assert.equal(JSON.parse(body).code, 'body_too_large')
    assert.deepEqual(await hub.countStoredRows(), before)
  })

  test('a push that is cut off within its body is not stored, and the next push is', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    await new Promise<void>((resolve) => {
      const headers = { ...pushHeaders(hub_api_key), 'content-length': '1000' }
      const cut = request(`${hub.address}${RECEIVER}`, { method: 'POST', headers })
      cut.on('error', () => undefined).on('close', resolve)
      cut.write(JSON.stringify(newRecord('N-1')), () => cut.destroy())
    })
    const response = await pushOverSocket(hub, hub_api_key, newRecord('N-2'))
    assert.equal(response.status, 201)
    const { reference_number } = only(await hub.records(platform_name))
    assert.equal(reference_number, 'N-2')
  })
})

function pushOverSocket(
  hub: TestHub,
  key: string,
  body: object,
  method: 'POST' | 'PATCH' = 'POST',
) {
  return sendOverSocket(hub, { method, url: RECEIVER, headers: pushHeaders(key), body })
}

/** Sends a chunked body over the limit that never ends. */
function pushEndlessly(hub: TestHub, key: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { ...pushHeaders(key), 'transfer-encoding': 'chunked' }
    const endless = request(`${hub.address}${RECEIVER}`, { method: 'POST', headers })
    endless.on('response', (response) => {
      const status = response.statusCode ?? 0
      void text(response)
        .then((body) => resolve({ status, body }), reject)
        .finally(() => endless.destroy())
    })
    endless.on('error', reject)
    endless.write('"')
    for (let sent = 0; sent < 24; sent++) endless.write('x'.repeat(64 * 1024))
  })
}
