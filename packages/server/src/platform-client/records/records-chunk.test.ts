import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonArrayScanner } from '../../lib/json/json-array-scanner.ts'
import { type RecordsChunk, readElements } from './records-chunk.ts'

function chunkOf(elements: string[]): RecordsChunk {
  const limits = { maxElementBytes: 10_000, maxEnvelopeBytes: 1000 }
  const scanner = new JsonArrayScanner({ member: 'records', ...limits })
  const [chunk] = scanner.push(Buffer.from(`{"records":[${elements.join(' ,\n')}]}`))
  assert.ok(chunk)
  return chunk
}

const compact = (reference: string) =>
  `{"reference_number":"${reference}","full_name":"Zoë","data":{"a":1.10}}`
const escaped = '{"reference_number":"r-2","full_name":"Zo\\u00eb","data":{"a":"\\/"}}'

test('elements are read without parsing up to the first one for which that is not possible', () => {
  const texts = [compact('r-1'), escaped, compact('r-3')]
  const chunk = chunkOf(texts)
  for (const positions of [[0, 1, 2], [0, 1], [1, 2], [2]]) {
    const { elements, error } = readElements(chunk, positions)
    assert.equal(error, null)
    assert.deepEqual(
      elements.map(({ index, value }) => [index, JSON.parse(JSON.stringify(value))]),
      positions.map((position) => [position, JSON.parse(texts[position] ?? '')]),
    )
    const scanned = elements.map(({ record }) => record !== null)
    const firstParsed = positions.indexOf(1)
    assert.deepEqual(
      scanned,
      positions.map((_, order) => firstParsed < 0 || order < firstParsed),
    )
  }
})

test('the elements before one that is not valid JSON are read', () => {
  for (const invalid of ['{"a":01}', '{"a":"\\x"}', '{a}', '{"a":1 2}']) {
    for (const before of [compact('r-1'), escaped]) {
      const { elements, error } = readElements(
        chunkOf([before, invalid, compact('r-3')]),
        [0, 1, 2],
      )
      assert.equal(elements.length, 1)
      assert.match(error ?? '', /^its record 2 is not valid JSON/)
    }
  }
})
