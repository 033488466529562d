import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { ExactNumber, parseExact, textOfValue, writeExact } from './exact-json.ts'

test('numbers keep their digits at any depth', () => {
  const text = '{"a":9007199254740993,"b":[1.10,1e2,-0,0.1,12],"c":{"d":-1E+400}}'
  assert.equal(writeExact(parseExact(text), ''), text)
  assert.deepEqual(parseExact('[9007199254740993,1.5]'), [new ExactNumber('9007199254740993'), 1.5])
})

test('values that JavaScript can represent are read as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(JSON.parse(writeExact(parseExact(text))), JSON.parse(text))
    }),
  )
})

test('strings keep quotes, backslashes, escapes and lone surrogates', () => {
  for (const text of ['"a\\"b"', '"\\\\"', '"\\\\\\""', '"\\ud800"', '"\\u0000 \u2028"']) {
    assert.equal(parseExact(text), JSON.parse(text))
    assert.deepEqual(parseExact(`{${text}:[${text}]}`), JSON.parse(`{${text}:[${text}]}`))
  }
})

test('a member named __proto__ is read like any other member', () => {
  const value = parseExact('{"__proto__":{"a":1}}')
  assert.equal(writeExact(value, ''), '{"__proto__":{"a":1}}')
})

test('invalid JSON is rejected', () => {
  for (const text of ['', '{', '[1,]', '{"a"}', '{"a":1,}', '"a', '01', '1 2', 'nul', '+1', '.5']) {
    assert.throws(() => parseExact(text), SyntaxError, text)
  }
})

test('a value is shown on one line', () => {
  assert.equal(textOfValue(parseExact('{"a":[1.0,"x"],"b":null}')), '{"a":[1.0,"x"],"b":null}')
  assert.deepEqual([textOfValue(null), textOfValue(undefined)], [null, null])
  assert.deepEqual([textOfValue(''), textOfValue(false)], ['', 'false'])
})
