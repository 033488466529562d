import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followOf } from './follow.ts'

test('the newest page is followed unless somebody reads or does not want it', () => {
  assert.equal(followOf({}, 0), 'following')
  assert.equal(followOf({ q: 'x', level: 'error', since: '2026-01-01T00:00:00Z' }, 10), 'following')
  assert.equal(followOf({}, 500), 'reading')
  assert.equal(followOf({ line: '5' }, 0), 'reading')
  assert.equal(followOf({ follow: 'off' }, 500), 'off')
})

test('where no new line can come there is nothing to follow', () => {
  assert.equal(followOf({ cursor: '17' }, 0), 'elsewhere')
  assert.equal(followOf({ until: '2026-01-01T00:00:00Z', follow: 'off' }, 0), 'elsewhere')
})
