import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followOf } from './follow.ts'

test('the log follows new entries unless the user reads older ones or turns it off', () => {
  assert.equal(followOf({}, 0), 'following')
  assert.equal(followOf({ q: 'x', level: 'error', since: '2026-01-01T00:00:00Z' }, 10), 'following')
  assert.equal(followOf({}, 500), 'reading')
  assert.equal(followOf({ line: '5' }, 0), 'reading')
  assert.equal(followOf({ follow: 'off' }, 500), 'off')
})

test('a page that new entries cannot reach does not follow the log', () => {
  assert.equal(followOf({ cursor: '17' }, 0), 'older')
  assert.equal(followOf({ until: '2026-01-01T00:00:00Z', follow: 'off' }, 0), 'older')
})
