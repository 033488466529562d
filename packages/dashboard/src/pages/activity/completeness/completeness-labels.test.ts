import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeLabel, completenessStatus } from './completeness-labels.ts'

const PULLED = {
  complete_at: null,
  last_read_at: '2026-01-01T00:00:00Z',
  incomplete_reasons: [],
  last_error: null,
}

test('a module is complete only if its last full pull had no incomplete reasons and no error', () => {
  const complete = { ...PULLED, complete_at: '2026-01-01T00:00:00Z' }
  assert.equal(completenessStatus(complete), 'complete')
  assert.equal(
    completenessStatus({ ...complete, incomplete_reasons: ['rejected'] }),
    'not_verified',
  )
  assert.equal(
    completenessStatus({ ...complete, last_error: 'The platform cannot be reached.' }),
    'not_verified',
  )
  assert.equal(completenessStatus(PULLED), 'not_verified')
})

test('a module that was never pulled has its own status', () => {
  assert.equal(completenessStatus({ ...PULLED, last_read_at: null }), 'not_pulled')
})

test('a complete module says how many exceptions are accepted', () => {
  assert.equal(completeLabel({ accepted: 0 }), 'Complete')
  assert.equal(completeLabel({ accepted: 4 }), 'Complete, 4 accepted exceptions')
})
