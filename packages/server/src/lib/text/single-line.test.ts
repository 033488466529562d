import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { toSingleLine } from './code-points.ts'

test('any text becomes a single line of limited length', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.integer({ min: 1, max: 50 }), (text, max) => {
      const line = toSingleLine(text, max)
      assert.ok([...line].length <= max && line.isWellFormed())
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202E]/u)
    }),
  )
})

test('words are not changed, and an ellipsis marks the truncation', () => {
  assert.equal(toSingleLine(' A title,\r\nin two lines 👩 ', 50), 'A title, in two lines 👩')
  assert.equal(toSingleLine('12345678', 5), '1234…')
  assert.equal(toSingleLine('12345', 5), '12345')
})
