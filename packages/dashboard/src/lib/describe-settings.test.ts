import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDays, describePattern } from './describe-settings.ts'

test('plain patterns are told in words, others stand for themselves', () => {
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

test('days read as people say them', () => {
  const words = [0, 1, 30, 365, 730].map(describeDays)
  assert.deepEqual(words, ['For ever', 'A day', '30 days', 'A year', '2 years'])
})
