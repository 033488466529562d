import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDrift, manifestKeysOf, refuseDrift } from './drift.ts'

const KEYS = manifestKeysOf([
  { key: 'a', required: true },
  { key: 'b', required: false },
])
const WHOLE = { isWhole: true }

test('unknown keys and missing required keys are drift', () => {
  assert.equal(findDrift({ a: 1 }, KEYS, WHOLE), null)
  assert.equal(findDrift({ a: null, b: [] }, KEYS, WHOLE), null)
  assert.deepEqual(findDrift({ b: 1, x: 1, constructor: 2 }, KEYS, WHOLE), {
    unknown: ['x', 'constructor'],
    absent: ['a'],
  })
})

test('a partial update has no missing keys', () => {
  assert.equal(findDrift({ b: 1 }, KEYS, { isWhole: false }), null)
  assert.deepEqual(findDrift({ x: 1 }, KEYS, { isWhole: false }), { unknown: ['x'], absent: [] })
})

test('the drift of a thousand unknown keys is reported in a short text', () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`.repeat(500), n]))
  const drift = findDrift(data, KEYS, WHOLE)
  assert.equal(drift?.unknown.length, 50)
  const refused = refuseDrift(drift, 'reject')
  assert.ok(refused && refused.reason.length < 20_000)
})

test('only the policy "reject" rejects drift, and it names the keys', () => {
  const drift = findDrift({ x: 1 }, KEYS, WHOLE)
  assert.equal(refuseDrift(drift, 'accept'), null)
  assert.equal(refuseDrift(null, 'reject'), null)
  assert.deepEqual(refuseDrift(drift, 'reject')?.errors, {
    data: [
      'has the key "x", which the manifest does not name',
      'lacks the key "a", which the manifest requires',
    ],
  })
})
