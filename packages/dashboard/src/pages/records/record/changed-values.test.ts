import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedValues } from './changed-values.ts'

test('a change of nested data names the values that differ', () => {
  const before = { makers: [{ role: 'carpenter', born: 1 }, { role: 'x' }], place: null }
  const after = { makers: [{ role: 'frame maker', born: 1 }], place: 'Seefeld' }
  assert.deepEqual(changedValues({ before, after }), [
    { path: ['makers', 0, 'role'], before: 'carpenter', after: 'frame maker' },
    { path: ['makers', 1], before: { role: 'x' }, after: undefined },
    { path: ['place'], before: null, after: 'Seefeld' },
  ])
  assert.deepEqual(changedValues({ after: 1 }), [{ path: [], before: undefined, after: 1 }])
  const many = Array.from({ length: 9 }, (_, index) => index)
  assert.deepEqual(changedValues({ before: many, after: many.toReversed() })[0]?.path, [0])
  assert.deepEqual(changedValues({ before: [], after: many }), [
    { path: [], before: [], after: many },
  ])
})
