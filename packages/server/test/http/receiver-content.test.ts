/** Pushed data is stored exactly as it was sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
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
