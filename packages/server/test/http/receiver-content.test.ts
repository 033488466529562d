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

describeHub('the stored content of a push', (hub) => {
  for (const number of [
    ...['1.10', '12345678901234567890', '9007199254740993', '1e2', '1E+2', '-0', '-0.0'],
    ...['0.1000000000000000055511151231257827', '1e400', '-1e-400', '100.000', '0.0000001'],
  ]) {
    test(`the number ${number} is returned as it was sent`, async () => {
      const { post, platform_name } = await hub.registerPushing()
      const data = `{"a":${number},"b":[${number}],"c":{"d":${number}}}`
      const response = await post(withData(data))
      const { record_id } = expectBody(response, 201, PushResponse)
      assert.ok((await readText(hub, platform_name)).includes(`"data":${data}`))
      const one = await hub.get(`/api/v1/records/${record_id}`)
      assert.ok(one.text.includes(`"data":${data}`), one.text)
    })
  }

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

  test('the same number with other digits is a change, and the history has both forms', async () => {
    const { post } = await hub.registerPushing()
    await post(withData('{"a":1.1}'))
    const response = await post(withData('{"a":1.10}'))
    const { record_id, outcome } = expectBody(response, 200, PushResponse)
    assert.equal(outcome, 'updated')
    const { text } = await hub.get(`/api/v1/records/${record_id}/history`)
    assert.ok(text.includes('[{"path":"/data/a","before":1.1,"after":1.10}]'), text)
  })

  test('the numbers of a rejected push are saved as they were sent', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const body = '{"record_type":"cases","data":{"a":1.10,"b":12345678901234567890}}'
    assert.equal((await post(body)).status, 422)
    const saved = await hub.get(`/api/v1/rejected-pushes?platform=${platform_name}`)
    assert.ok(saved.text.includes(`"body":${body}`), saved.text)
  })

  for (const [what, text] of [
    ['an emoji of several code points', '👩‍👩‍👧‍👦'],
    ['a letter with a combining accent', 'e\u0301'],
    ['right-to-left text', 'שלום مرحبا'],
    ['U+0000', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
    ['surrogates in the wrong order', '\udc00\ud800'],
    ['control characters', '\u0001\u001f\u007f\u0085\u2028\u2029'],
    ['a byte order mark and a non-character', '\ufeff\uffff'],
    ['a closing script tag', '</script><!--'],
  ] as const) {
    test(`${what} in data is returned unchanged in keys and values`, async () => {
      const { post, platform_name } = await hub.registerPushing()
      const data = { [text]: text, list: [text] }
      const response = await post(newRecord('N-1', { data }))
      expectBody(response, 201, PushResponse)
      assert.deepEqual(only(await hub.records(platform_name)).data, data)
      await post(newRecord('N-1', { data: { list: [] } }))
      const { record_id } = only(await hub.records(platform_name))
      const { changes } = only(await hub.history(record_id))
      const removed = changes.find((change) => change.before === text)
      assert.ok(removed && !('after' in removed))
    })
  }
  for (const key of [
    ...['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', '__defineGetter__'],
    ...['"', '\\', '/', '~', '~1', '', ' ', '.', 'a.b', '0', '-1', '$ref', "'", 'hub_id'],
  ]) {
    test(`the key ${JSON.stringify(key)} has no special meaning`, async () => {
      const { hub_api_key, platform_name } = await hub.registerPushing()
      const withValue = (value: unknown) => newRecord('N-1', { data: { [key]: value, other: 1 } })
      const patch = { record_type: 'cases', reference_number: 'N-1', data: { [key]: 2 } }
      await hub.push(hub_api_key, withValue(1))
      const again = expectBody(await hub.push(hub_api_key, withValue(1)), 200, PushResponse)
      assert.equal(again.outcome, 'unchanged')
      await hub.push(hub_api_key, patch, 'PATCH')
      const { record_id, data } = only(await hub.records(platform_name))
      assert.deepEqual(data, { [key]: 2, other: 1 })
      const path = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const { changes } = only(await hub.history(record_id))
      assert.deepEqual(changes, [{ path, before: 1, after: 2 }])
    })
  }

  for (const [what, data, stored] of [
    ['written with an escape', '{"\\u0061":1,"b\\"c":2}', { a: 1, 'b"c': 2 }],
    ['that occurs twice', '{"a":1,"a":2}', { a: 2 }],
    ['that occurs twice, once with an escape', '{"a":1,"\\u0061":2}', { a: 2 }],
    ['that occurs three times, once with an escape', '{"a":1,"\\u0061":2,"a":3}', { a: 3 }],
  ] as const) {
    test(`the last value is stored for a key ${what}`, async () => {
      const { post, platform_name } = await hub.registerPushing()
      await post(withData(data))
      assert.deepEqual(only(await hub.records(platform_name)).data, stored)
    })
  }

  test('keys that are not in the manifest are stored', async () => {
    const { post, platform_name } = await hub.registerPushing()
    const data = { status: 'open', surprise: { deep: [null, false] } }
    await post(newRecord('N-1', { data }))
    assert.deepEqual(only(await hub.records(platform_name)).data, data)
  })
})
