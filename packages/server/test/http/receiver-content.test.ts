/** Pushed data is stored exactly as it was sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** The JSON text of a push with the given text as its `data`. */
function withData(data: string, over: Record<string, unknown> = {}): string {
  const record = { ...newRecord('N-1', over), data: '@data@' }
  return JSON.stringify(record).replace('"@data@"', () => data)
}

async function readText(hub: TestHub, platform: string): Promise<string> {
  return (await hub.get(`/api/v1/records?platform=${platform}`)).text
}

const NUMBERS = [
  ...['1.10', '12345678901234567890', '9007199254740993', '1e2', '1E+2', '-0', '-0.0'],
  ...['0.1000000000000000055511151231257827', '1e400', '-1e-400', '100.000', '0.0000001'],
]

/** Difficult keys and values: `fuzz/receiver.test.ts` sends many more. */
const TEXTS = [
  ...[
    '👩‍👩‍👧‍👦',
    'e\u0301',
    'שלום مرحبا',
    'a\0b',
    'a\ud800b',
    '\udc00\ud800',
    '\u0001\u2028\u2029',
  ],
  ...['\ufeff\uffff', '</script><!--', 'constructor', 'toString', 'hasOwnProperty', 'prototype'],
  ...[
    '__defineGetter__',
    '"',
    '\\',
    '/',
    '~',
    '~1',
    '',
    ' ',
    '.',
    'a.b',
    '0',
    '-1',
    '$ref',
    "'",
    'hub_id',
  ],
]

describeHub('the stored content of a push', (hub) => {
  test('numbers are returned as they were sent', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const data = `{"a":[${NUMBERS.join()}],"b":{"c":${NUMBERS[0]}}}`
    const { record_id } = expectBody(await post(withData(data)), 201, PushResponse)
    assert.ok((await readText(hub, platform_name)).includes(`"data":${data}`))
    const one = await hub.get(`/api/v1/records/${record_id}`)
    assert.ok(one.text.includes(`"data":${data}`), one.text)
  })

  test('a number of more than 1,000 characters is rejected, and one of 1,000 is stored', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const longest = `1.${'0'.repeat(997)}1`
    const data = `{"a":[{"b":${longest}}]}`
    expectBody(await post(withData(data)), 201, PushResponse)
    assert.ok((await readText(hub, platform_name)).includes(`"data":${data}`))
    for (const pushed of [`{"a":[{"b":${longest}0}]}`, `{ "a": -${longest} }`]) {
      const { errors } = expectError(await post(withData(pushed)), 422, 'invalid_record')
      assert.deepEqual(errors, { data: ['contains a number of more than 1000 characters'] })
    }
    assert.equal((await hub.rejected(platform_name)).length, 2)
  })

  test('a record has at most 5,000 keys, also after updates that add keys', async () => {
    const { post, patch, platform_name } = await hub.registerPushing()
    const keys = (count: number, prefix = 'k') =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, at]))
    const tooMany = await post(newRecord('N-1', { data: keys(5001) }))
    const { errors } = expectError(tooMany, 422, 'invalid_record')
    assert.deepEqual(errors, { data: ['has more than 5000 keys'] })
    expectBody(await post(newRecord('N-1', { data: keys(5000) })), 201, PushResponse)
    const changed = newRecord('N-1', { data: { k0: 'changed' } })
    expectBody(await patch(changed), 200, PushResponse)
    const added = newRecord('N-1', { data: { other: 1 } })
    expectError(await patch(added), 422, 'too_many_keys')
    expectBody(await post(added), 200, PushResponse)
    assert.equal((await hub.rejected(platform_name)).length, 2)
  })

  test('a name of more than 65,536 characters is rejected', async () => {
    const { post } = await hub.registerPushing()
    const full_name = 'é'.repeat(65_536)
    expectBody(await post(newRecord('N-1', { full_name })), 201, PushResponse)
    const tooLong = await post(newRecord('N-1', { full_name: `${full_name}é` }))
    const { errors } = expectError(tooLong, 422, 'invalid_record')
    assert.deepEqual(Object.keys(Object(errors)), ['full_name'])
  })

  test('the numbers of a rejected push are saved as they were sent', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const body = '{"record_type":"cases","data":{"a":1.10,"b":12345678901234567890}}'
    assert.equal((await post(body)).status, 422)
    const saved = await hub.get(`/api/v1/rejected-pushes?platform=${platform_name}`)
    assert.ok(saved.text.includes(`"body":${body}`), saved.text)
  })

  test('any text is returned unchanged as a key, as a value and in the history', async () => {
    const { post, patch, platform_name } = await hub.registerPushing()
    const data = Object.fromEntries(TEXTS.map((text) => [text, text]))
    const { record_id } = expectBody(await post(newRecord('N-1', { data })), 201, PushResponse)
    assert.deepEqual(only(await hub.records(platform_name)).data, data)
    const changed = Object.fromEntries(TEXTS.map((text) => [text, 1]))
    await patch({ record_type: 'cases', reference_number: 'N-1', data: changed })
    const { changes } = only(await hub.history(record_id))
    const expected = TEXTS.map((text) => {
      const path = `/data/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`
      return { path, before: text, after: 1 }
    })
    assert.deepEqual(new Set(changes), new Set(expected))
  })

  test('the last value is stored for a key that occurs twice', async () => {
    const { post, platform_name } = await hub.registerPushing()
    await post(withData('{"a":1,"a":2,"b":1,"\\u0062":2,"c":1,"\\u0063":2,"c":3,"b\\"d":4}'))
    assert.deepEqual(only(await hub.records(platform_name)).data, { a: 2, b: 2, c: 3, 'b"d': 4 })
  })
})
