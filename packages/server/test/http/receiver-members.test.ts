/** Pushes with missing or invalid members. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** Invalid records, and the members that the response must name. */
const FAULTS: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no record_type', { ...newRecord('N-1'), record_type: undefined }, ['record_type']],
  ['an empty record_type', newRecord('N-1', { record_type: '' }), ['record_type']],
  ['a number as record_type', newRecord('N-1', { record_type: 1 }), ['record_type']],
  ['no reference_number', newRecord('', { reference_number: undefined }), ['reference_number']],
  ['an empty reference_number', newRecord(''), ['reference_number']],
  ['a number as reference_number', newRecord('', { reference_number: 7 }), ['reference_number']],
  ['null as reference_number', newRecord('', { reference_number: null }), ['reference_number']],
  [
    'a record_type over 512 bytes',
    { ...newRecord('R-1'), record_type: 'ä'.repeat(257) },
    ['record_type'],
  ],
  ['a reference_number over 512 bytes', newRecord('ä'.repeat(257)), ['reference_number']],
  ['U+0000 in its reference_number', newRecord('a\0b'), ['reference_number']],
  ['a lone surrogate in its reference_number', newRecord('a\ud800b'), ['reference_number']],
  ['U+0000 in its full_name', newRecord('N-1', { full_name: 'a\0b' }), ['full_name']],
  ['a lone surrogate in its full_name', newRecord('N-1', { full_name: '\udc00' }), ['full_name']],
  ['null as full_name', newRecord('N-1', { full_name: null }), ['full_name']],
  ['an array as full_name', newRecord('N-1', { full_name: ['Ann'] }), ['full_name']],
  ['a number as module_name', newRecord('N-1', { module_name: 3 }), ['module_name']],
  ['no data', newRecord('N-1', { data: undefined }), ['data']],
  ['null as data', newRecord('N-1', { data: null }), ['data']],
  ['a string as data', newRecord('N-1', { data: '{}' }), ['data']],
  ['a number as data', newRecord('N-1', { data: JSON.rawJSON('1.10') }), ['data']],
  ['a non-empty array as data', newRecord('N-1', { data: [1] }), ['data']],
  ['an occurred_at that is not a time', newRecord('N-1', { occurred_at: 'now' }), ['occurred_at']],
  ['an occurred_at without a time zone', occurredAt('2026-01-01T00:00:00'), ['occurred_at']],
  ['an occurred_at on 30 February', occurredAt('2026-02-30T00:00:00Z'), ['occurred_at']],
  ['an occurred_at in seconds', newRecord('N-1', { occurred_at: 1767225600 }), ['occurred_at']],
  ['null as occurred_at', newRecord('N-1', { occurred_at: null }), ['occurred_at']],
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

  for (const member of ['module_name', 'full_name']) {
    test(`${member} is required in a POST and optional in a PATCH`, async () => {
      const { post, patch, platform_name } = await hub.registerPushing()
      const body = newRecord('N-1', { [member]: undefined })
      const error = expectError(await post(body), 422, 'invalid_record')
      assert.deepEqual(Object.keys(error.errors ?? {}), [member])
      assert.deepEqual(await hub.records(platform_name), [])
      expectBody(await patch(body), 201, PushResponse)
      assert.equal(only(await hub.rejected(platform_name)).method, 'POST')
    })
  }

  for (const body of ['[]', 'null', '"text"', '1.10', 'true', '{}']) {
    test(`the body ${body} returns 422 and is saved as rejected`, async () => {
      const { post, platform_name } = await hub.registerPushing()
      const error = expectError(await post(body), 422, 'invalid_record')
      assert.ok(Object.keys(error.errors ?? {}).length > 0)
      const { text } = await hub.get(`/api/v1/rejected-pushes?platform=${platform_name}`)
      assert.ok(text.includes(`"body":${body}`), text)
      assert.deepEqual(await hub.records(platform_name), [])
    })
  }

  test('a reference_number of 512 bytes is accepted', async () => {
    const { post, platform_name } = await hub.registerPushing()
    expectBody(await post(newRecord('ä'.repeat(256))), 201, PushResponse)
    const { reference_number } = only(await hub.records(platform_name))
    assert.equal(reference_number, 'ä'.repeat(256))
  })
})

function occurredAt(occurred_at: string) {
  return newRecord('N-1', { occurred_at })
}
