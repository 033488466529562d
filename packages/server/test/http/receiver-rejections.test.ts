/** Pushes that the receiver rejects, and the rejections that it stores. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RejectedPush } from '@recordhub/protocol'
import Type from 'typebox'
import { createKey, HUB_KEY_PREFIX } from '../../src/domain/platform/api-key.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import {
  expectAbsent,
  expectBody,
  expectError,
  type TestResponse,
} from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

const RejectedPage = Type.Object({ rejected_pushes: Type.Array(RejectedPush) })
const URL = '/api/webhook/receive'
const MESSAGE = 'The API key is missing or invalid, or the platform is inactive.'

/** Requests to the receiver that are sent with an invalid key. */
const CALLS = [
  ['a new record', 'POST', URL, JSON.stringify(newRecord('N-1'))],
  ['changed fields', 'PATCH', URL, JSON.stringify(newRecord('N-1'))],
  ['an empty object', 'POST', URL, '{}'],
  ['an unknown module', 'POST', URL, JSON.stringify(newRecord('N-1', { record_type: 'ghosts' }))],
  ['a body that is not JSON', 'POST', URL, 'no JSON'],
  ['a body that is too large', 'POST', URL, `"${'x'.repeat(1024 * 1024)}"`],
  ['a check of the key', 'GET', '/api/webhook/check', undefined],
] as const

async function expectRejectedKey(hub: TestHub, key: string | null): Promise<void> {
  const before = await hub.countStoredRows()
  for (const [, method, url, body] of CALLS) {
    const { 'x-api-key': _, ...headers } = pushHeaders('')
    const response = await hub.send({
      method,
      url,
      headers: key === null ? headers : { ...headers, 'x-api-key': key },
      ...(body === undefined ? {} : { body }),
    })
    const error = expectError(response, 401, 'api_key_invalid')
    assert.ok(error.message.startsWith(`${MESSAGE} `), error.message)
    assert.equal(error.errors, undefined)
    if (key) expectAbsent([key.padEnd(12)], [response.text])
    assert.deepEqual(await hub.countStoredRows(), before, 'Something was stored')
  }
}

describeHub('a rejected push', (hub) => {
  for (const [what, key] of [
    ['is missing', null],
    ['is empty', ''],
    ['is unknown', createKey(HUB_KEY_PREFIX).key],
    ['is 4000 characters long', 'x'.repeat(4000)],
    ['contains an SQL injection', `rhk_' OR 1=1 --`],
  ] as const) {
    test(`a key that ${what} returns 401 with the same message, and nothing is stored`, async () => {
      await hub.registerPushing()
      await expectRejectedKey(hub, key)
    })
  }

  test('a key with one changed letter returns 401', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const last = hub_api_key.endsWith('a') ? 'b' : 'a'
    await expectRejectedKey(hub, hub_api_key.slice(0, -1) + last)
  })

  test('a revoked key returns 401 at once, even if it was used before', async () => {
    const { hub_api_key, id } = await hub.registerPushing()
    assert.equal((await hub.push(hub_api_key, newRecord('N-1'))).status, 201)
    await hub.sql(
      `UPDATE hub_keys SET revoked_at = '2020-01-01T00:00:00.000Z' WHERE platform_id = ${id}`,
    )
    const response = await hub.push(hub_api_key, newRecord('N-2'))
    assert.ok(expectError(response, 401, 'api_key_invalid').message.startsWith(`${MESSAGE} `))
    await expectRejectedKey(hub, hub_api_key)
  })

  test('the key of a platform that never pushed before its deactivation returns 401', async () => {
    const { hub_api_key, id } = await hub.registerPushing()
    await hub.setStatus(id, 'inactive')
    await expectRejectedKey(hub, hub_api_key)
  })

  for (const [what, method, url, body] of CALLS) {
    test(`right after a deactivation ${what} returns 401, and nothing is stored`, async () => {
      const { hub_api_key, id } = await hub.registerPushing()
      assert.equal((await hub.push(hub_api_key, newRecord('N-0'))).status, 201)
      await hub.setStatus(id, 'inactive')
      const before = await hub.countStoredRows()
      const headers = pushHeaders(hub_api_key)
      const response = await hub.send({ method, url, headers, ...(body ? { body } : {}) })
      assert.deepEqual(await hub.countStoredRows(), before, 'Something was stored')
      assert.ok(expectError(response, 401, 'api_key_invalid').message.startsWith(`${MESSAGE} `))
    })
  }

  for (const [what, body] of [
    ['is not JSON', '{"record_type": cases}'],
    ['is truncated JSON', '{"record_type": "cases"'],
    ['has text after the JSON', `${JSON.stringify(newRecord('N-1'))} {}`],
    ['is empty', ''],
    ['is blank', '  \n'],
    ['is a form', 'record_type=cases&reference_number=N-1'],
    ['has a __proto__ key', nested('{"__proto__": {"a": 1}}')],
    ['has a nested __proto__ key', nested('{"a": [{"b": {"__proto__": 1}}]}')],
    ['has an escaped __proto__ key', nested('{"\\u005f_proto_\\u005F": {"a": 1}}')],
    ['is 65 levels deep', nested(deep(64))],
    ['is 65 levels deep in arrays', nested(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`)],
    ['is 100 000 levels deep', nested(deep(100_000))],
    ['is 20 000 levels deep with escaped keys', nested(deep(20_000, '\u0061'))],
    ['is not UTF-8', Buffer.from('{"record_type":"c\xe4ses"}', 'latin1')],
    ['is cut off within a character', Buffer.from('"ä').subarray(0, 2)],
  ] as const) {
    test(`a body that ${what} returns 400, and nothing is stored`, async () => {
      const { hub_api_key } = await hub.registerPushing()
      const before = await hub.countStoredRows()
      for (const method of ['POST', 'PATCH'] as const) {
        const response = await hub.push(hub_api_key, body, method)
        expectError(response, 400, 'invalid_json')
        expectAbsent([hub_api_key], [response.text])
      }
      assert.deepEqual(await hub.countStoredRows(), before)
    })
  }

  test('a body of 64 levels is accepted, counting the body itself as the first', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const text = nested(deep(63))
    assert.equal((await post(text)).status, 201)
    assert.equal((await hub.records(platform_name)).length, 1)
  })

  for (const type of [
    null,
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/xml; note=json',
    'text/html;application/json',
    'nonsense',
  ]) {
    test(`Content-Type ${type ?? '(missing)'} returns 415, and nothing is stored`, async () => {
      const { hub_api_key } = await hub.registerPushing()
      const before = await hub.countStoredRows()
      for (const body of [JSON.stringify(newRecord('N-1')), '']) {
        const { 'content-type': _, ...headers } = pushHeaders(hub_api_key)
        const response = await hub.send({
          method: 'POST',
          url: URL,
          headers: type === null ? headers : { ...headers, 'content-type': type },
          body,
        })
        expectError(response, 415, 'unsupported_media_type')
      }
      assert.deepEqual(await hub.countStoredRows(), before)
    })
  }

  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'] as const) {
    test(`${method} on the receiver returns 405 with Allow`, async () => {
      const { hub_api_key } = await hub.registerPushing()
      const headers = { 'x-api-key': hub_api_key }
      const response = await hub.send({ method, url: URL, headers })
      assert.equal(response.status, 405)
      const allowed = response.header('allow').split(/,\s*/).sort()
      assert.deepEqual(allowed, ['PATCH', 'POST'])
      if (method !== 'HEAD') expectError(response, 405, 'method_not_allowed')
    })
  }

  test('a push to an unregistered module returns 422 and is saved with its reason and body', async () => {
    const { post, platform_name } = await hub.registerPushing()
    for (const record_type of ['unknown', 'constructor', '__proto__', 'Cases', 'cases ']) {
      const body = newRecord('N-1', { record_type })
      const response = await post(body)
      const error = expectError(response, 422, 'module_not_registered')
      assert.ok(error.message.includes(record_type))
      const [saved] = await hub.rejected(platform_name)
      assert.ok(saved)
      assert.equal(saved.code, 'module_not_registered')
      assert.equal(saved.message, error.message)
      assert.deepEqual([saved.method, saved.count, saved.replayed_at], ['POST', 1, null])
      assert.deepEqual(saved.body, body)
      assert.deepEqual(await hub.records(platform_name), [])
    }
  })

  test('a push that is rejected twice for the same reason is saved once with a count of 2', async () => {
    const { post, patch, platform_name } = await hub.registerPushing()
    await post({ record_type: 'cases' })
    const { request_id } = expectError(await post({ record_type: 'cases' }), 422, 'invalid_record')
    const saved = only(await hub.rejected(platform_name))
    assert.deepEqual([saved.count, saved.request_id], [2, request_id])
    const found = await hub.get(`/api/v1/rejected-pushes?request_id=${request_id}`)
    assert.equal(only(expectBody(found, 200, RejectedPage).rejected_pushes).id, saved.id)
    await patch({ record_type: 'cases' })
    assert.equal((await hub.rejected(platform_name)).length, 2)
  })

  test('a hub API key cannot read rejected pushes, records or platforms', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const responses: TestResponse[] = []
    for (const url of ['/api/v1/rejected-pushes', '/api/v1/records', '/api/v1/platforms']) {
      responses.push(await hub.send({ url, headers: { 'x-api-key': hub_api_key } }))
      const authorization = `Bearer ${hub_api_key}`
      responses.push(await hub.send({ url, headers: { authorization } }))
    }
    for (const response of responses) expectError(response, 401, 'not_signed_in')
  })
})

/** Nested objects with the given number of levels. */
function deep(levels: number, key = 'a'): string {
  return `${`{"${key}":`.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
}

/** The JSON text of a complete record with the given text as its `data`. */
function nested(data: string): string {
  return JSON.stringify(newRecord('N-1', { data: '@' })).replace('"@"', () => data)
}
