import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standingOf } from './doubts.ts'

const READ = { complete_at: null, last_read_at: '2026-01-01T00:00:00Z', doubts: [], trouble: null }

test('a module is complete only if its last read had no doubts and no error', () => {
  const proved = { ...READ, complete_at: '2026-01-01T00:00:00Z' }
  assert.equal(standingOf(proved), 'proved')
  assert.equal(standingOf({ ...proved, doubts: ['rejected'] }), 'doubted')
  assert.equal(standingOf({ ...proved, trouble: 'The platform cannot be reached.' }), 'doubted')
  assert.equal(standingOf(READ), 'doubted')
})

test('a module that was never read has a status of its own', () => {
  assert.equal(standingOf({ ...READ, last_read_at: null }), 'unread')
})
