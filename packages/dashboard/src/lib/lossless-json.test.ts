import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { LosslessNumber, parseLossless, textOfValue, writeLossless } from './lossless-json.ts'

test('numbers keep their digits at any depth', () => {
  const text = '{"a":9007199254740993,"b":[1.10,1e2,-0,0.1,12],"c":{"d":-1E+400}}'
  assert.equal(writeLossless(parseLossless(text), ''), text)
  assert.deepEqual(parseLossless('[9007199254740993,1.5]'), [
    new LosslessNumber('9007199254740993'),
    1.5,
  ])
})

test('values that JavaScript can represent are read as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(JSON.parse(writeLossless(parseLossless(text))), JSON.parse(text))
    }),
  )
})

test('a member named __proto__ is read like any other member', () => {
  const value = parseLossless('{"__proto__":{"a":1}}')
  assert.equal(writeLossless(value, ''), '{"__proto__":{"a":1}}')
})

test('invalid JSON is rejected with its position', () => {
  assert.throws(() => parseLossless('{"a":1,}'), /^SyntaxError: Invalid JSON at character 8$/)
})

test('a value is shown on one line', () => {
  assert.equal(textOfValue(parseLossless('{"a":[1.0,"x"],"b":null}')), '{"a":[1.0,"x"],"b":null}')
  assert.deepEqual([textOfValue(null), textOfValue(undefined)], [null, null])
  assert.deepEqual([textOfValue(''), textOfValue(false)], ['', 'false'])
})
