import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { parseSearchResponse } from './search-response.ts'

const read = (text: string, limit = 20) => parseSearchResponse(parseLossless(text), limit)
const record = '{"reference_number":"A-1","full_name":"Ann","record_type":"case","data":{"n":1.10}}'

test('records are found under records, results, data and at the top level', () => {
  for (const response of [
    `{"success":true,"records":[${record}]}`,
    `{"results":[${record}],"total":1}`,
    `{"data":[${record}]}`,
    `[${record}]`,
  ]) {
    const parsed = read(response)
    assert.equal(parsed.outcome, 'found')
    if (parsed.outcome !== 'found') continue
    const [first] = parsed.records
    assert.deepEqual(
      [first?.reference_number, first?.full_name, first?.record_type],
      ['A-1', 'Ann', 'case'],
    )
    assert.equal(JSON.stringify(first?.data), '{"n":1.10}')
  }
})

test('the members of a result that is not a record are its data', () => {
  const response = read('[{"id":9007199254740993,"name":"Ann"},{"reference_number":12,"x":null}]')
  assert.equal(
    JSON.stringify(response),
    '{"outcome":"found","found":2,"records":[' +
      '{"reference_number":null,"full_name":null,"record_type":null,"data":{"id":9007199254740993,"name":"Ann"}},' +
      '{"reference_number":"12","full_name":null,"record_type":null,"data":{"x":null}}]}',
  )
})

test('all results are counted, and only the first ones are returned', () => {
  const response = read(`{"records":[${Array(30).fill(record).join(',')}]}`, 20)
  assert.ok(response.outcome === 'found')
  assert.deepEqual([response.found, response.records.length], [30, 20])
})

test('an empty list is a valid response without results', () => {
  assert.deepEqual(read('{"records":[]}'), { outcome: 'found', found: 0, records: [] })
})

test('results grouped by module, pages and single persons are parsed', () => {
  const ann = '{"reference_number":"A-1","full_name":"Ann","data":{"name":"x"}}'
  const page = `{"current_page":1,"data":[${ann}],"links":[{"url":null,"label":"Next"}],"total":1}`
  const cases: [string, [string | null, string | null][]][] = [
    [
      `{"results":{"employee":[${ann}],"student":[${ann},${record}],"none":[],"total":3}}`,
      [
        ['A-1', 'employee'],
        ['A-1', 'student'],
        ['A-1', 'case'],
      ],
    ],
    [`{"records":{"employee":${page}}}`, [['A-1', 'employee']]],
    [`{"data":{"employee":{"data":[${ann}],"meta":{}}}}`, [['A-1', 'employee']]],
    [`{"success":true,"data":${page}}`, [['A-1', null]]],
    [`{"data":[${ann}],"links":{"next":null},"meta":{"total":1}}`, [['A-1', null]]],
    [`{"results":null,"data":[${ann}]}`, [['A-1', null]]],
    [ann, [['A-1', null]]],
    [`{"success":true,"data":${ann}}`, [['A-1', null]]],
    [`{"success":true,"person":{"name":"Ann","jobs":[{"title":"Clerk"}]}}`, [[null, null]]],
    [`{"name":"Ann","id":7,"tags":[]}`, [[null, null]]],
    [`{"result":{"id":7,"title":"Dr","tags":[]}}`, [[null, null]]],
    ['{"success":true,"data":null}', []],
    ['{"results":{}}', []],
    ['{"results":{"employee":[]}}', []],
  ]
  for (const [text, expected] of cases) {
    const response = read(text)
    assert.ok(response.outcome === 'found', text)
    const found = response.records.map((one) => [one.reference_number, one.record_type])
    assert.deepEqual(found, expected, text)
    assert.equal(response.found, expected.length)
  }
})

for (const text of [
  '{"hits":{"total":1}}',
  '["a","b"]',
  '"none"',
  'null',
  '{"records":{"a":1}}',
  '{"success":true,"errors":[{"code":1}]}',
  '{"results":{"ids":[1,2]}}',
]) {
  test(`${text} is returned as raw JSON`, () => {
    const response = read(text)
    assert.ok(response.outcome === 'raw')
    assert.equal(stringifyLossless(response.value), text)
  })
}
