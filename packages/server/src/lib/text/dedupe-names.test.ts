import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { dedupeNames } from './dedupe-names.ts'

test('names are unique in any case, fit the limit and are well formed', () => {
  const nasty = fc.constantFrom('', '_', '_2', 'A', 'a', 'a_2', '王'.repeat(40), '\u0000', '\ud800')
  const names = fc.array(fc.oneof(fc.string({ unit: codePoint }), nasty), { maxLength: 40 })
  fc.assert(
    fc.property(names, fc.integer({ min: 8, max: 63 }), (list, maxBytes) => {
      const unique = dedupeNames(list, maxBytes)
      assert.equal(unique.length, list.length)
      assert.equal(new Set(unique.map((name) => name.toLowerCase())).size, list.length)
      for (const name of unique) {
        assert.ok(name.length > 0 && Buffer.byteLength(name) <= maxBytes)
        assert.ok(name.isWellFormed() && !/\p{Cc}/u.test(name))
      }
    }),
  )
})

test('a name that is unique and fits is not changed', () => {
  const names = ['created_at', 'Größe (cm)', '王', 'a"b', "o'clock"]
  assert.deepEqual(dedupeNames(names, 63), names)
  assert.deepEqual(dedupeNames(['a', 'A', 'a_2', 'a'], 63), ['a', 'A_2', 'a_2_2', 'a_3'])
})
