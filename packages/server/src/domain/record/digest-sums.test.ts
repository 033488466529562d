import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import {
  addSums,
  hashOfReference,
  hashOfVersion,
  isPrefix,
  MAX_DIGITS,
  prefixOf,
  rangeOf,
  SUM_MODULUS,
  subtractSums,
} from './digest-sums.ts'

const md5 = (text: string) => createHash('md5').update(text, 'utf8').digest('hex')
const sum = fc.nat({ max: SUM_MODULUS - 1 })

test('hashes are the first hex digits of md5', () => {
  assert.equal(hashOfReference('É-1'), Number.parseInt(md5('É-1').slice(0, MAX_DIGITS), 16))
  const expected = Number.parseInt(md5('É-1\u001f7').slice(0, 12), 16)
  assert.equal(hashOfVersion('É-1', '7'), expected)
})

test('sums are exact modulo 2^48', () => {
  fc.assert(
    fc.property(sum, sum, (one, other) => {
      const added = (BigInt(one) + BigInt(other)) % 2n ** 48n
      assert.equal(addSums(one, other), Number(added))
      assert.equal(subtractSums(addSums(one, other), other), one)
    }),
  )
})

test('a reference is in the range of each of its prefixes and of no other', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.integer({ min: 0, max: MAX_DIGITS }),
      (a, b, digits) => {
        const hashed = hashOfReference(a)
        const prefix = prefixOf(hashed, digits)
        assert.equal(prefix, md5(a).slice(0, digits))
        const { from, end } = rangeOf(prefix)
        assert.ok(from <= hashed && hashed < end)
        const other = hashOfReference(b)
        assert.equal(from <= other && other < end, md5(b).startsWith(prefix))
      },
    ),
  )
})

test('only lower-case hex digits are a prefix', () => {
  assert.deepEqual(['', '3f4', '000000', '3F4', 'xyz', '0000000', '3f4\n'].map(isPrefix), [
    ...[true, true, true, false, false, false, false],
  ])
  assert.throws(() => rangeOf('3F'), RangeError)
})
