import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { encodeForTrigrams, hasTrigram, likePattern } from './record-search.ts'

test('a substring of a text is a substring of its encoding, which is ASCII only', () => {
  const text = fc.string({ unit: 'binary' }).map((generated) => generated.toWellFormed())
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      const encoded = encodeForTrigrams(before + part + after)
      assert.ok(encoded.includes(encodeForTrigrams(part)))
      assert.match(encoded, /^\p{ASCII}*$/u)
    }),
  )
})

test('a character of another script has trigrams, single ASCII letters have none', () => {
  assert.ok(hasTrigram(encodeForTrigrams('王')))
  assert.ok(!hasTrigram(encodeForTrigrams('a-b+c d')))
})

test('LIKE wildcards are escaped', () => {
  assert.equal(likePattern('100%_\\'), '%100\\%\\_\\\\%')
})
