import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExact, stringifyExact } from '../lib/exact-json.ts'
import { readSearchAnswer } from './search-answer.ts'

const read = (text: string, limit = 20) => readSearchAnswer(parseExact(text), limit)
const record = '{"reference_number":"A-1","full_name":"Ann","record_type":"case","data":{"n":1.10}}'

test('records are found under records, results, data and at the top level', () => {
  for (const answer of [
    `{"success":true,"records":[${record}]}`,
    `{"results":[${record}],"total":1}`,
    `{"data":[${record}]}`,
    `[${record}]`,
  ]) {
    const read_ = read(answer)
    assert.equal(read_.outcome, 'found')
    if (read_.outcome !== 'found') continue
    const [first] = read_.records
    assert.deepEqual(
      [first?.reference_number, first?.full_name, first?.record_type],
      ['A-1', 'Ann', 'case'],
    )
    assert.equal(JSON.stringify(first?.data), '{"n":1.10}')
  }
})

test('a result with other members than a record keeps them as its data', () => {
  const answer = read('[{"id":9007199254740993,"name":"Ann"},{"reference_number":12,"x":null}]')
  assert.equal(
    JSON.stringify(answer),
    '{"outcome":"found","found":2,"records":[' +
      '{"reference_number":null,"full_name":null,"record_type":null,"data":{"id":9007199254740993,"name":"Ann"}},' +
      '{"reference_number":"12","full_name":null,"record_type":null,"data":{"x":null}}]}',
  )
})

test('all results are counted, and only the first ones are returned', () => {
  const answer = read(`{"records":[${Array(30).fill(record).join(',')}]}`, 20)
  assert.ok(answer.outcome === 'found')
  assert.deepEqual([answer.found, answer.records.length], [30, 20])
})

test('an empty list is a valid response without results', () => {
  assert.deepEqual(read('{"records":[]}'), { outcome: 'found', found: 0, records: [] })
})

for (const text of ['{"hits":{"total":1}}', '["a","b"]', '"none"', 'null', '{"records":{"a":1}}']) {
  test(`${text} is returned as raw JSON`, () => {
    const answer = read(text)
    assert.ok(answer.outcome === 'raw')
    assert.equal(stringifyExact(answer.value), text)
  })
}
