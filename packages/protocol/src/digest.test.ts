import assert from 'node:assert/strict'
import { createHash, hash } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import {
  addToSum,
  bucketOf,
  contributionOf,
  createDigest,
  createPrefixFilter,
  parseDigestRequest,
  parsePrefixes,
  readVersion,
  SUM_MODULUS,
} from './digest.ts'
import { parseLossless } from './lossless-json.ts'

const md5 = (text: string) => hash('md5', text)

test('bucket and contribution are the first digits of the MD5 of UTF-8 text', () => {
  const reference = 'Zoë-Łukasik 😀'
  const hex = createHash('md5').update(Buffer.from(reference)).digest('hex')
  assert.equal(bucketOf(reference, 3, md5), hex.slice(0, 3))
  const both = createHash('md5').update(`${reference}\u001f17`, 'utf8').digest('hex')
  assert.equal(contributionOf(reference, '17', md5), Number(`0x${both.slice(0, 12)}`))
})

test('a sum stays below 2^48, and subtracting what was added restores it', () => {
  const number = fc.integer({ min: 0, max: SUM_MODULUS - 1 })
  fc.assert(
    fc.property(number, number, (sum, contribution) => {
      const added = addToSum(sum, contribution)
      assert.equal(BigInt(added), (BigInt(sum) + BigInt(contribution)) % BigInt(SUM_MODULUS))
      assert.equal(addToSum(added, -contribution), sum)
    }),
  )
})

test('a version is a text or an integer, and everything else is none', () => {
  const long = 'x'.repeat(512)
  const texts = ['0', ' ', 'a', long, '2026-11-28 07:30:00.123456']
  for (const text of texts) assert.equal(readVersion(text), text)
  const read = (json: string) => readVersion(parseLossless(json))
  assert.equal(read('17'), '17')
  assert.equal(read('-3'), '-3')
  assert.equal(read('18446744073709551615'), '18446744073709551615')
  for (const json of ['1.5', '1e3', '1.0', 'null', 'true', '[1]', '{"rawJSON":1}', '""']) {
    assert.equal(read(json), null, json)
  }
  for (const value of [`${long}x`, 'ü'.repeat(257), '\ud800', undefined, Number.NaN]) {
    assert.equal(readVersion(value), null)
  }
})

const request = (digits: string | null, prefix: string | null = null) =>
  parseDigestRequest({ digits, prefix })

test('digits are 1 to 8, and a prefix is no longer than they are', () => {
  assert.deepEqual(request('3'), { value: { digits: 3, prefixes: null } })
  assert.deepEqual(request('3', '3f4,a0,3f4'), { value: { digits: 3, prefixes: ['3f4', 'a0'] } })
  for (const digits of [null, '', '0', '9', '03', '3.0', '-1', ' 3', '1e0', 'three']) {
    assert.ok('issue' in request(digits), String(digits))
  }
  assert.ok('issue' in request('2', '3f4'))
})

test('a request for more than 1,048,576 buckets is rejected', () => {
  assert.ok('value' in request('5'))
  assert.ok('issue' in request('6'))
  assert.ok('value' in request('8', 'a01'))
  assert.ok('issue' in request('8', 'a01,a02'))
})

test('a list of prefixes has at most 100, each of lower-case hex digits', () => {
  const many = Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(8, '0'))
  assert.deepEqual(parsePrefixes(null), { value: null })
  assert.deepEqual(parsePrefixes(many.join(',')), { value: many })
  const rejected = ['', ',', '3f4,', 'A01', '3g', ' 3f', '123456789', [...many, 'ff'].join(',')]
  for (const text of [...rejected, '0,'.repeat(1_000_000)]) {
    assert.ok('issue' in parsePrefixes(text), text.slice(0, 20))
  }
})

test('a digest of some prefixes has the same buckets as one of all, and its order does not matter', () => {
  const records = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.string()), {
    selector: ([reference]) => reference,
  })
  const prefixes = fc.uniqueArray(fc.constantFrom('0', '1a', 'a', 'ab', 'f'), { minLength: 1 })
  fc.assert(
    fc.property(records, prefixes, (all, some) => {
      const full = createDigest({ digits: 2, prefixes: null }, md5)
      const part = createDigest({ digits: 2, prefixes: some }, md5)
      for (const [reference, version] of all) full.add(reference, version)
      for (const [reference, version] of all.toReversed()) part.add(reference, version)
      const isSelected = createPrefixFilter(some)
      const expected = [...full.buckets].filter(([prefix]) => isSelected(prefix))
      assert.deepEqual(new Map(part.buckets), new Map(expected))
      const count = [...full.buckets.values()].reduce((sum, bucket) => sum + bucket.count, 0)
      assert.equal(count, all.length)
    }),
  )
})
