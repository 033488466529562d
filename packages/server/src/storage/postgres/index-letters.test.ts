import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { containing, hasTrigram, toIndexLetters } from './index-letters.ts'

test('a part of a text is part of it in letters of the index too, which are of ASCII', () => {
  const text = fc.string({ unit: 'binary' }).map((one) => one.toWellFormed())
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      const letters = toIndexLetters(before + part + after)
      assert.ok(letters.includes(toIndexLetters(part)))
      assert.match(letters, /^\p{ASCII}*$/u)
    }),
  )
})

test('two letters of another script have trigrams; signs have none', () => {
  assert.ok(hasTrigram(toIndexLetters('王')))
  assert.ok(!hasTrigram(toIndexLetters('a-b+c d')))
})

test('signs that LIKE knows are looked for as they are', () => {
  assert.equal(containing('100%_\\'), '%100\\%\\_\\\\%')
})
