import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExact, writeExact } from './exact-numbers.ts'

test('numbers are written back as they came, everything else as JSON says it', () => {
  const text = '{"a":9007199254740993,"b":[1.10,1e2,-0,0.5],"c":"1.10","d":null,"":true}'
  assert.equal(writeExact(parseExact(text), false), text)
})

test('what a double holds as written is an ordinary number', () => {
  assert.deepEqual(parseExact('[1,2.5,-3]'), [1, 2.5, -3])
})

test('it is written on lines of its own to be read', () => {
  assert.equal(writeExact(parseExact('{"n":1.50}'), true), '{\n  "n": 1.50\n}')
})

test('what is no JSON is none', () => {
  assert.throws(() => parseExact('{"a":'), SyntaxError)
})
