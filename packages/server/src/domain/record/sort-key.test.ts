import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldKindOf, numberKey } from '@recordhub/protocol/field-filter'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { sortKeyOf, sortKeyOfText } from './sort-key.ts'

/** A decimal in any notation, and its value in units of 10^-12. */
const decimal = fc
  .record({
    digits: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    exponent: fc.integer({ min: -12, max: 12 }),
    zeros: fc.nat(3),
  })
  .map(({ digits, exponent, zeros }) => {
    const sign = digits < 0n ? '-' : ''
    const whole = String(digits).replace('-', '')
    return {
      text: `${sign}${whole}.${'0'.repeat(zeros + 1)}e${exponent}`,
      value: digits * 10n ** BigInt(exponent + 12),
    }
  })

test('sort keys of numbers have the order of the numbers, to the last digit', () => {
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const order = compareCodePoints(numberKey(one.text) ?? '', numberKey(other.text) ?? '')
      assert.equal(
        Math.sign(order),
        Number(one.value > other.value) - Number(one.value < other.value),
      )
    }),
  )
})

test('equal numbers have the same sort key in every notation', () => {
  const keyOf = (text: string) => sortKeyOf(parseLossless(text), true)
  for (const same of [
    ['1.1', '1.10', '11e-1', '0.11E+1', '"1.1"', '" 01.1 "'],
    ['0', '-0', '0.000', '0e9', '"-0.0"'],
    ['9007199254740993', '9007199254740993.0', '9007199254740.993e3'],
    ['-12', '-1.2e1', '"-12.00"'],
  ]) {
    const keys = new Set(same.map(keyOf))
    assert.equal(keys.size, 1, same.join(' '))
  }
  assert.notEqual(keyOf('9007199254740993'), keyOf('9007199254740992'))
})

test('values that are not numbers sort after all numbers, by code point', () => {
  const sorted = ['-1e999', '-2', '0', '1e-999', '3', '1e999', '1e1000000', 'NaN', 'a', 'é'].map(
    (text) => sortKeyOfText(text, true),
  )
  assert.deepEqual(sorted, sorted.toSorted(compareCodePoints))
  assert.equal(numberKey('1e1000000'), null)
  assert.equal(numberKey('0'.repeat(100_000)), null)
  assert.equal(numberKey(''), null)
})

test('undefined and null have no sort key, and every other value has one', () => {
  assert.equal(sortKeyOf(undefined, false), null)
  assert.equal(sortKeyOf(null, true), null)
  const keys = ['""', 'false', '[1,{"b":1,"a":1.10}]', '12'].map((text) =>
    sortKeyOf(parseLossless(text), false),
  )
  assert.deepEqual(keys, ['', 'false', '[1,{"a":1.10,"b":1}]', '12'])
})

test('the sort key of every value is short and storable', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 600 }), fc.boolean(), (text, isNumeric) => {
      const key = sortKeyOfText(`${text}\u0000\ud800`, isNumeric)
      assert.ok([...key].length <= 300)
      assert.ok(key.isWellFormed() && !key.includes('\u0000'))
    }),
  )
})

test('the kind of a field is that of its type in any case, and created_at is a date', () => {
  const kinds = [
    ['a', 'DECIMAL', 'number'],
    ['a', 'phone number', 'text'],
    ['a', 'Date-Time', 'date'],
    ['a', 'bool', 'boolean'],
    ['created_at', 'string', 'date'],
    ['created_at', 'integer', 'number'],
  ] as const
  for (const [key, type, kind] of kinds) assert.equal(fieldKindOf({ key, type }), kind, type)
})
