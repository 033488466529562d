import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExplainedReasons, findIncompleteReasons } from './completeness.ts'

const NONE = { received: 5, rejected: 0 }
const PROOF = { reportsSuccess: true, total: 5, counts: NONE, isVerified: true, held: 0 }

test('a read is complete if its total, its count and the stored records agree', () => {
  assert.deepEqual(findIncompleteReasons(PROOF), [])
  assert.deepEqual(
    findIncompleteReasons({ ...PROOF, total: 0, counts: { ...NONE, received: 0 } }),
    [],
  )
})

test('each mismatch gives its own reason', () => {
  const cases = [
    [{ reportsSuccess: false }, 'no_success'],
    [{ total: null }, 'no_total'],
    [{ total: 6 }, 'total_differs'],
    [{ counts: { ...NONE, rejected: 1 } }, 'rejected'],
    [{ isVerified: false }, 'missing_undecided'],
    [{ held: 1 }, 'held'],
  ] as const
  for (const [over, reason] of cases)
    assert.deepEqual(findIncompleteReasons({ ...PROOF, ...over }), [reason])
})

test('after a digest, a reason remains only if it explains a difference', () => {
  const all = { explained: 3, rejected: 2, accepted: 1, hasOpenReview: true, hasHolds: true }
  assert.deepEqual(findExplainedReasons(all), ['rejected', 'missing_undecided', 'held'])
  assert.deepEqual(findExplainedReasons({ ...all, rejected: 1 }), ['missing_undecided', 'held'])
  assert.deepEqual(findExplainedReasons({ ...all, hasOpenReview: false }), ['rejected', 'held'])
  assert.deepEqual(findExplainedReasons({ ...all, hasHolds: false }), [
    'rejected',
    'missing_undecided',
  ])
  assert.deepEqual(findExplainedReasons({ ...all, explained: 0 }), [])
})
