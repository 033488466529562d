import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { compareCodePoints, endOfPrefix, truncateCodePoints } from './code-points.ts'

const text = fc.string({ unit: codePoint, maxLength: 12 })

test('texts sort in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const bytes = Buffer.compare(Buffer.from(one), Buffer.from(other))
      assert.equal(Math.sign(compareCodePoints(one, other)), bytes)
    }),
  )
  assert.ok(compareCodePoints('\uffee', '😀') < 0)
})

test('the beginning of a text consists of whole code points', () => {
  fc.assert(
    fc.property(text, fc.nat(15), (whole, length) => {
      assert.equal(truncateCodePoints(whole, length), [...whole].slice(0, length).join(''))
    }),
  )
})

test('the texts from a prefix to its end are those that begin with it', () => {
  const extreme = fc.constantFrom('', '\ud7ff', '\u{10ffff}', 'a\u{10ffff}', '\uffff')
  fc.assert(
    fc.property(fc.oneof(text, extreme), fc.oneof(text, extreme), (prefix, other) => {
      const end = endOfPrefix(prefix)
      for (const one of [prefix + other, other]) {
        const isInRange =
          compareCodePoints(one, prefix) >= 0 && (end === null || compareCodePoints(one, end) < 0)
        assert.equal(isInRange, one.startsWith(prefix))
      }
    }),
  )
})
