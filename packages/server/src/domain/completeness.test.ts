import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDoubts } from './completeness.ts'

const NONE = { received: 5, stale: 0, rejected: 0 }
const PROOF = { total: 5, counts: NONE, isSettled: true }

test('a read proves that all is here where its total, its count and what is stored agree', () => {
  assert.deepEqual(findDoubts(PROOF), [])
  assert.deepEqual(findDoubts({ ...PROOF, total: 0, counts: { ...NONE, received: 0 } }), [])
})

test('whatever does not agree is a doubt of its own', () => {
  const cases = [
    [{ total: null }, 'no_total'],
    [{ total: 6 }, 'total_differs'],
    [{ counts: { ...NONE, rejected: 1 } }, 'rejected'],
    [{ counts: { ...NONE, stale: 1 } }, 'stale'],
    [{ isSettled: false }, 'missing_unsettled'],
  ] as const
  for (const [over, doubt] of cases) assert.deepEqual(findDoubts({ ...PROOF, ...over }), [doubt])
})
