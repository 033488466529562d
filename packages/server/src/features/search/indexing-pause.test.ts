import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_BEHIND_MS, pauseAfter } from './indexing-pause.ts'

const RATIO = { idle: 0.5, withPushes: 8, late: 1 }
const step = { isComplete: false, tookMs: 100, behindMs: 0, hasPushes: true }

test('indexing pauses long while platforms push, until the index has been behind for a minute', () => {
  assert.equal(pauseAfter(step, RATIO), 800)
  assert.equal(pauseAfter({ ...step, behindMs: MAX_BEHIND_MS }, RATIO), 800)
  assert.equal(pauseAfter({ ...step, behindMs: MAX_BEHIND_MS + 1 }, RATIO), 100)
})

test('indexing collects changes before a step when it has all, and does not wait for more while it has not', () => {
  const idle = { ...step, hasPushes: false }
  assert.equal(pauseAfter(idle, RATIO), 50)
  assert.equal(pauseAfter({ ...idle, isComplete: true }, RATIO), 250)
  assert.equal(pauseAfter({ ...idle, isComplete: true, tookMs: 1000 }, RATIO), 500)
  assert.equal(pauseAfter({ ...step, isComplete: true }, RATIO), 800)
})
