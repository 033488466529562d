import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDays, describePattern } from './describe-settings.ts'

test('common cron patterns have a description, others have none', () => {
  for (const [pattern, words] of [
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['17 * * * *', 'Every hour, 17 minutes past'],
    ['5 3 * * *', 'Every day at 03:05'],
    ['*/5 8-18 * * 1-5', ''],
  ] as const) {
    assert.equal(describePattern(pattern), words)
  }
})

test('a number of days is described in words', () => {
  const words = [0, 1, 30, 365, 730].map(describeDays)
  assert.deepEqual(words, ['For ever', 'A day', '30 days', 'A year', '2 years'])
})
