import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FailingPlatform, findPauseEnd, isPaused } from './pull-pause.ts'

const NOW = new Date('2026-03-10T08:05:00.000Z')
const FAILING: FailingPlatform = {
  failures_in_row: 5,
  failed_at: '2026-03-10T08:00:30.000Z',
  recovered_at: null,
  last_pulled_at: null,
  last_push_at: null,
}

test('a pause ends 15 minutes after the last failure', () => {
  assert.equal(findPauseEnd(FAILING, NOW), '2026-03-10T08:15:30.000Z')
  assert.equal(findPauseEnd(FAILING, new Date('2026-03-10T08:15:30.000Z')), null)
})

test('scheduled pulls skip a platform for 15 minutes after five failures, unless it recovers', () => {
  const table: [string, Partial<FailingPlatform>, boolean][] = [
    ['five failures', {}, true],
    ['more failures', { failures_in_row: 9 }, true],
    ['four failures', { failures_in_row: 4 }, false],
    ['no failure', { failures_in_row: 0, failed_at: null }, false],
    ['14 minutes ago', { failed_at: '2026-03-10T07:50:01.000Z' }, true],
    ['15 minutes ago', { failed_at: '2026-03-10T07:50:00.000Z' }, false],
    ['an hour from now: the clock was ahead', { failed_at: '2026-03-10T09:05:00.000Z' }, false],
    ['a recovery before the failure', { recovered_at: '2026-03-10T08:00:29.999Z' }, true],
    ['a recovery after it', { recovered_at: '2026-03-10T08:00:30.001Z' }, false],
    ['a module read before the failure', { last_pulled_at: '2026-03-10T08:00:00.000Z' }, true],
    ['a module read after it', { last_pulled_at: '2026-03-10T08:01:00.000Z' }, false],
    ['a push in the minute before', { last_push_at: '2026-03-10T07:59:59.999Z' }, true],
    ['a push in the same minute', { last_push_at: '2026-03-10T08:00:00.000Z' }, false],
    ['a push in the minute after', { last_push_at: '2026-03-10T08:01:00.000Z' }, false],
  ]
  for (const [name, over, expected] of table) {
    assert.equal(isPaused({ ...FAILING, ...over }, NOW), expected, name)
  }
})
