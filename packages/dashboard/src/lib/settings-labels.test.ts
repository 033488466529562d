import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysLabel, scheduleLabel } from './settings-labels.ts'

test('common cron patterns have a description, others have none', () => {
  for (const [pattern, label] of [
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['17 * * * *', 'Every hour, 17 minutes past'],
    ['5 3 * * *', 'Every day at 03:05'],
    ['*/5 8-18 * * 1-5', ''],
  ] as const) {
    assert.equal(scheduleLabel(pattern), label)
  }
})

test('a number of days is shown in days or years', () => {
  const labels = [0, 1, 30, 365, 730].map(daysLabel)
  assert.deepEqual(labels, ['Forever', '1 day', '30 days', '1 year', '2 years'])
})
