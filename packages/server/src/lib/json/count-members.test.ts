import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { seed } from '../../../test/helpers/random/seed.ts'
import { hasMoreMembers } from './count-members.ts'

const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join()

test('the members of an object are counted as JSON.parse finds them, whatever is around and in them', () => {
  const document = fc.record({
    before: fc.jsonValue(),
    data: fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 8 }),
    after: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  fc.assert(
    fc.property(document, fc.integer({ min: 0, max: 9 }), fc.boolean(), (value, limit, isWide) => {
      // The padding makes every text long enough for its limit.
      const text = JSON.stringify({ ...value, padding: 'x'.repeat(50) }, null, isWide ? 2 : 0)
      const found = hasMoreMembers(Buffer.from(text), 'data', limit)
      assert.equal(found, Object.keys(value.data).length > limit)
    }),
    { seed },
  )
})

test('only the members of the object in the member itself are counted', () => {
  const isFound = (text: string) => hasMoreMembers(Buffer.from(text), 'data', 9)
  assert.equal(isFound(`{"data":{${keys(10)}}}`), true)
  for (const text of [
    `{"data":{${keys(9)}}, "other":{${keys(10)}}}`,
    `{"other":{"data":{${keys(10)}}}}`,
    `{"data":{"inner":{${keys(10)}}}}`,
    `{"data":[{${keys(10)}}]}`,
    `{"data":"{${keys(10).replaceAll('"', '\\"')}}"}`,
    `{"data":{${keys(9)},"k":"\\\\\\":1:1:1"}}`.replace('"k8":8,', ''),
    `[{"data":{${keys(10)}}}]`,
  ])
    assert.equal(isFound(text), false, text)
})

test('a text that is cut off anywhere ends the count', () => {
  const text = Buffer.from(`{"reference_number":"a\\"","data":{${keys(20)}}}`)
  for (let length = 0; length <= text.length; length++) {
    hasMoreMembers(text.subarray(0, length), 'data', 1)
  }
})
