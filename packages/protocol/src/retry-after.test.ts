import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetryAfter } from './retry-after.ts'

const NOW = new Date('2026-03-10T08:00:00Z')

test('seconds and HTTP dates are parsed', () => {
  for (const [value, expected] of [
    ['0', 0],
    [' 120 ', 120_000],
    ['Tue, 10 Mar 2026 08:00:30 GMT', 30_000],
    ['Tuesday, 10-Mar-26 08:01:00 GMT', 60_000],
    ['Tue Mar 10 08:01:00 2026 GMT', 60_000],
  ] as const) {
    assert.equal(parseRetryAfter(value, NOW), expected, value)
  }
})

test('a date in the past gives no wait', () => {
  assert.equal(parseRetryAfter('Tue, 10 Mar 2026 07:00:00 GMT', NOW), 0)
})

test('an invalid value is ignored', () => {
  for (const value of ['', '-1', '1.5', '1e3', 'soon', '99999999999', '2026-03-10', 'Tue, never']) {
    assert.equal(parseRetryAfter(value, NOW), null, value)
  }
})
