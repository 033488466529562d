/** Pushes with missing or invalid members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectError } from '../helpers/hub/response.ts'

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
})
