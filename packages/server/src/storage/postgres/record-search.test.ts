import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { containing, hasTrigram, toIndexLetters } from './record-search.ts'

test('a substring is also a substring in index letters, which are ASCII only', () => {
  const text = fc.string({ unit: 'binary' }).map((one) => one.toWellFormed())
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      const letters = toIndexLetters(before + part + after)
      assert.ok(letters.includes(toIndexLetters(part)))
      assert.match(letters, /^\p{ASCII}*$/u)
    }),
  )
})

test('a character of another script has trigrams, single ASCII letters have none', () => {
  assert.ok(hasTrigram(toIndexLetters('王')))
  assert.ok(!hasTrigram(toIndexLetters('a-b+c d')))
})

test('LIKE wildcards are escaped', () => {
  assert.equal(containing('100%_\\'), '%100\\%\\_\\\\%')
})
