/** Pushes with missing or invalid members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'

/**
 * Invalid records, and the members that the response must name. `domain/record/record-input.test.ts` has all rules, and
 * `fuzz/receiver.test.ts` sends any JSON.
 */
const FAULTS: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no record_type', { ...newRecord('N-1'), record_type: undefined }, ['record_type']],
  ['an empty reference_number', newRecord(''), ['reference_number']],
  ['a reference_number over 512 bytes', newRecord('ä'.repeat(257)), ['reference_number']],
  ['a lone surrogate in its full_name', newRecord('N-1', { full_name: '\udc00' }), ['full_name']],
  ['a number as module_name', newRecord('N-1', { module_name: 3 }), ['module_name']],
  ['a number as data', newRecord('N-1', { data: JSON.rawJSON('1.10') }), ['data']],
  [
    'an occurred_at on 30 February',
    newRecord('N-1', { occurred_at: '2026-02-30T00:00:00Z' }),
    ['occurred_at'],
  ],
  [
    'an occurred_at without a time zone',
    newRecord('N-1', { occurred_at: '2026-01-01T00:00:00' }),
    ['occurred_at'],
  ],
  ['several invalid members', { record_type: 'cases', data: 1 }, ['reference_number', 'data']],
]

describeHub('a push with invalid members', (hub) => {
  for (const [what, body, members] of FAULTS) {
    test(`a record with ${what} returns 422 with errors and is saved as rejected`, async () => {
      const { hub_api_key, platform_name } = await hub.registerPushing()
      for (const method of ['POST', 'PATCH'] as const) {
        const response = await hub.push(hub_api_key, body, method)
        const error = expectError(response, 422, 'invalid_record')
        const named = Object.keys(error.errors ?? {})
        for (const member of members) assert.ok(named.includes(member), response.text)
        for (const member of named) assert.ok(error.message.includes(member), response.text)
        const saved = (await hub.rejected(platform_name)).find((one) => one.method === method)
        assert.ok(saved)
        assert.deepEqual([saved.code, saved.message], ['invalid_record', error.message])
        assert.deepEqual(saved.errors, error.errors)
        assert.deepEqual(saved.body, JSON.parse(JSON.stringify(body)))
      }
      assert.deepEqual(await hub.records(platform_name), [])
    })
  }

  test('an optional member that is null counts as absent', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const record = newRecord('N-1', { occurred_at: null })
    const created = expectBody(await hub.push(hub_api_key, record, 'POST'), 201, PushResponse)
    assert.equal(created.warnings, undefined)
    const changes = { ...record, module_name: null, data: {} }
    const changed = expectBody(await hub.push(hub_api_key, changes, 'PATCH'), 200, PushResponse)
    assert.deepEqual([changed.outcome, changed.warnings], ['unchanged', undefined])
  })

  test('a compressed body is rejected with words about the compression', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const body = gzipSync(JSON.stringify(newRecord('N-1')))
    const headers = { 'x-api-key': hub_api_key, 'content-type': 'application/json' }
    const url = '/api/webhook/receive'
    const response = await hub.send({ method: 'POST', url, headers, body })
    assert.match(
      expectError(response, 400, 'invalid_json').message,
      /compressed \(gzip\); send it un/,
    )
  })
})
