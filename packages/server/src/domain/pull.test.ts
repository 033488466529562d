import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concludePull, countsInWords, noCounts } from './pull.ts'

test('a pull is judged by its tasks', () => {
  assert.equal(concludePull([]), 'succeeded')
  assert.equal(concludePull(['succeeded', 'succeeded']), 'succeeded')
  assert.equal(concludePull(['succeeded', 'failed']), 'partial')
  assert.equal(concludePull(['failed', 'failed']), 'failed')
})

test('counts are told without the zeros', () => {
  assert.equal(countsInWords({ ...noCounts(), created: 2, unchanged: 1 }), '2 new, 1 unchanged')
  assert.equal(countsInWords({ ...noCounts(), missing: 3 }), '3 gone')
  assert.equal(countsInWords(noCounts()), 'no records')
})
