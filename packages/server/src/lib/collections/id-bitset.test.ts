import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { IdBitset } from './id-bitset.ts'

test('an IdBitset contains the same ids as a Set', () => {
  const id = fc.oneof(fc.nat(100_000), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }))
  fc.assert(
    fc.property(fc.array(id), fc.array(id), (added, others) => {
      const ids = new IdBitset()
      const model = new Set(added)
      for (const one of added) ids.add(one)
      assert.equal(ids.size, model.size)
      for (const one of [...added, ...others]) assert.equal(ids.has(one), model.has(one))
    }),
  )
})
