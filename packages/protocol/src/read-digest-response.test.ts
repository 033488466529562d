import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from './lossless-json.ts'
import { readDigestResponse } from './read-digest-response.ts'

const EXPECTED = { digits: 3, prefixes: ['3f', 'a01'], record_type: 'cases', platform_name: 'hr' }
const BODY = {
  ...{ success: true, platform_name: 'hr', record_type: 'cases', digits: 3 },
  buckets: [
    ['3f4', 152, 271497],
    ['a01', 1, '281474976710655'],
  ],
}
const read = (body: object) =>
  readDigestResponse(parseLossless(JSON.stringify({ ...BODY, ...body })), EXPECTED)

test('buckets have a count, and a sum as number or text', () => {
  const result = read({})
  assert.ok(result.outcome === 'digest')
  assert.deepEqual(
    [...result.buckets],
    [
      ['3f4', { count: 152, sum: 271497 }],
      ['a01', { count: 1, sum: 2 ** 48 - 1 }],
    ],
  )
})

for (const body of [
  { buckets: { '3f4': [1, 2] } },
  { success: 'true' },
  { platform_name: 'crm' },
  { record_type: null },
  { digits: 4 },
  { digits: '3' },
  { buckets: ['3f4'] },
  { buckets: [['3F4', 1, 1]] },
  { buckets: [['3f40', 1, 1]] },
  { buckets: [['3f4', 0, 0]] },
  { buckets: [['3f4', '1', 1]] },
  { buckets: [['3f4', 1, -1]] },
  { buckets: [['3f4', 1, 2 ** 48]] },
  { buckets: [['3f4', 1, 1.5]] },
  { buckets: [['3f4', 1, '1e3']] },
  { buckets: [['b00', 1, 1]] },
  { buckets: [...BODY.buckets, ['3f4', 1, 1]] },
]) {
  test(`a digest is invalid with ${JSON.stringify(body)}`, () => {
    assert.equal(read(body).outcome, 'invalid')
  })
}

test('any JSON can be read', () => {
  for (const json of ['null', '[]', '1.10', '"x"', 'true', '{"buckets":[null,1.10]}']) {
    assert.equal(readDigestResponse(parseLossless(json), EXPECTED).outcome, 'invalid')
  }
})
