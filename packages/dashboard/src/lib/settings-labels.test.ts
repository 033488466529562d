import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scheduleLabel } from './settings-labels.ts'

test('common cron patterns have a description, others have none', () => {
  for (const [pattern, label] of [
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['17 * * * *', 'Every hour, 17 minutes past'],
    ['5 3 * * *', 'Every day at 03:05'],
    ['30 14 * * 1', 'Every Monday at 14:30'],
    ['*/5 8-18 * * 1-5', ''],
  ] as const) {
    assert.equal(scheduleLabel(pattern), label)
  }
})
