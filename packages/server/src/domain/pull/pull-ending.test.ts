import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PullState } from '@recordhub/protocol'
import {
  concludePlatform,
  concludePull,
  formatEnding,
  isSameEnding,
  type TaskTally,
} from './pull-ending.ts'

test('the result of a pull depends on its tasks', () => {
  assert.equal(concludePull({}), 'succeeded')
  assert.equal(concludePull({ succeeded: 2 }), 'succeeded')
  assert.equal(concludePull({ succeeded: 1, failed: 1 }), 'partial')
  assert.equal(concludePull({ failed: 2 }), 'failed')
})

test('a pull that read every requested module has succeeded, even if it skipped others', () => {
  assert.equal(concludePull({ succeeded: 3, skipped: 1 }), 'succeeded')
  assert.equal(concludePull({ succeeded: 3, skipped: 1, failed: 1 }), 'partial')
  assert.equal(concludePull({ skipped: 1, failed: 1 }), 'failed')
})

test('a pull that skipped every module has failed', () => {
  assert.equal(concludePull({ skipped: 4 }), 'failed')
})

test('a module that was not reached counts as not read', () => {
  assert.equal(concludePull({ succeeded: 3, not_reached: 1 }), 'partial')
  assert.equal(concludePull({ skipped: 1, not_reached: 1, failed: 1 }), 'failed')
})

test('the result for one platform depends on its modules', () => {
  assert.equal(concludePlatform({ succeeded: 2 }), 'succeeded')
  assert.equal(concludePlatform({ succeeded: 1, failed: 1 }), 'partial')
  assert.equal(concludePlatform({ failed: 1, cancelled: 1 }), 'failed')
  assert.equal(concludePlatform({ cancelled: 2 }), 'cancelled')
  assert.equal(concludePlatform({ skipped: 2 }), 'skipped')
  assert.equal(concludePlatform({ queued: 2 }), 'queued')
  assert.equal(concludePlatform({ queued: 1, succeeded: 1 }), 'running')
  assert.equal(concludePlatform({ queued: 1, running: 1, failed: 1 }), 'running')
})

test('the summary counts every module once', () => {
  const format = (tasks: TaskTally, state: PullState = concludePull(tasks)) =>
    formatEnding({ state, tasks })
  assert.equal(format({ succeeded: 4 }), 'succeeded: 4 of 4 modules read')
  assert.equal(format({ succeeded: 3, skipped: 1 }), 'succeeded: 3 of 4 modules read, 1 skipped')
  assert.equal(
    format({ succeeded: 1, failed: 2, skipped: 3, not_reached: 4 }),
    'succeeded in part: 1 of 10 modules read, 2 failed, 3 skipped, 4 not finished',
  )
  assert.equal(
    format({ succeeded: 1, timed_out: 1, queued: 1 }, 'timed_out'),
    'reached its time limit: 1 of 3 modules read, 2 not finished',
  )
})

test('two endings are the same if they read the same number of modules and skipped or failed to read the others', () => {
  const partial = { state: 'partial', tasks: { succeeded: 3, failed: 1 } } as const
  assert.ok(isSameEnding(partial, partial))
  const skipping = { state: 'succeeded', tasks: { succeeded: 3, skipped: 1 } } as const
  assert.ok(isSameEnding(skipping, partial))
  assert.ok(isSameEnding(partial, skipping))
  assert.ok(!isSameEnding({ state: 'succeeded', tasks: { succeeded: 4 } }, skipping))
  assert.ok(!isSameEnding({ state: 'partial', tasks: { succeeded: 2, failed: 2 } }, partial))
  assert.ok(!isSameEnding({ state: 'partial', tasks: { succeeded: 3, failed: 2 } }, partial))
  assert.ok(!isSameEnding({ state: 'timed_out', tasks: partial.tasks }, partial))
})
