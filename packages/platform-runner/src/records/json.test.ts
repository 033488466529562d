import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { exactNumber, isOutOfBounds, parseExact } from './json.ts'

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
    fc.constantFrom('', '.0', '.10', '.000001'),
    fc.constantFrom('', 'e2', 'E+07', 'e-300'),
  )
  .map((parts) => parts.join(''))
const scalar = fc.oneof(
  number,
  fc.constantFrom('null', 'true', 'false'),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
)
const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('document'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), tie('document')), {
        maxLength: 4,
        selector: ([key]) => key,
      })
      .map((members) => members.map(([key, value]) => `${JSON.stringify(key)}:${value}`))
      .map((members) => `{${members.join()}}`),
  ),
}))

/** Objects put numeric keys first, so documents with such keys are left out. */
const isOrdered = (text: string) => !/"\d+":/.test(text)

test('JSON is written as it was read, numbers included', () => {
  fc.assert(
    fc.property(document.filter(isOrdered), (text) => {
      assert.equal(JSON.stringify(parseExact(text)), text)
    }),
  )
})

test('white space is ignored, and keys with escapes are read correctly', () => {
  assert.equal(
    JSON.stringify(parseExact(' { "a\\u0041\\"" :\t[ 1.10 ,\n{ } , [ ] ] , "\\\\" : "\\n" } ')),
    '{"aA\\"":[1.10,{},[]],"\\\\":"\\n"}',
  )
  parseExact('{"h":[],"\\\\":0}')
  assert.deepEqual(parseExact('{"h":1,"\\"":2}'), { h: 1, '"': 2 })
})

test('invalid JSON is rejected', () => {
  for (const text of ['', '{', '[1,]', '01', '1.10 2', '"\\x"', '{"a":1.10']) {
    assert.throws(() => parseExact(text), SyntaxError)
  }
  assert.throws(() => parseExact(`${'['.repeat(200_000)}1.10${']'.repeat(200_000)}`), SyntaxError)
})

test('only valid JSON numbers are read as numbers', () => {
  for (const text of ['NaN', 'Infinity', '', ' 1', '007', '1.', '.5', '0x10', '1_000']) {
    assert.equal(exactNumber(text), null, text)
  }
  assert.equal(
    JSON.stringify(['-0', '1e2', '9007199254740993', '5'].map(exactNumber)),
    '[-0,1e2,9007199254740993,5]',
  )
})

test('values that the hub would reject are detected', () => {
  assert.ok(isOutOfBounds(parseExact('{"a":[{"__proto__":1}]}'), 10))
  assert.ok(isOutOfBounds([[[1]]], 2))
  assert.ok(!isOutOfBounds([[[1]]], 3))
})
