import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { takeWithinBytes } from './pagination.ts'

test('takes the leading items that fit, and at least one', () => {
  const items = fc.array(fc.record({ bytes: fc.nat(20) }))
  fc.assert(
    fc.property(items, fc.nat(60), (given, max) => {
      const taken = takeWithinBytes(given, max)
      assert.deepEqual(taken, given.slice(0, taken.length))
      const bytes = (some: { bytes: number }[]) => some.reduce((sum, one) => sum + one.bytes, 0)
      assert.ok(taken.length <= 1 || bytes(taken) <= max)
      if (given.length > 0) assert.ok(taken.length > 0)
      if (taken.length < given.length) assert.ok(bytes(given.slice(0, taken.length + 1)) > max)
    }),
  )
})
