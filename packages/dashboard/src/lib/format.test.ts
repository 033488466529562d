import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRelative,
  formatTime,
  formatWord,
} from './format.ts'

const inUtc = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: true,
  timeZone: 'UTC',
})

describe('formatting of numbers and times', () => {
  it('formats a time as the specification requires', () => {
    assert.equal(formatTime('2026-11-21T07:30:00.000Z', inUtc), 'Nov 21, 2026 07:30 AM')
    assert.equal(formatTime('2026-01-02T00:05:59.999Z', inUtc), 'Jan 02, 2026 12:05 AM')
    assert.equal(formatTime('2026-06-30T12:00:00.000Z', inUtc), 'Jun 30, 2026 12:00 PM')
  })

  it('formats a time relative to now', () => {
    const now = Date.parse('2026-11-21T12:00:00.000Z')
    assert.equal(formatRelative('2026-11-21T11:57:00.000Z', now), '3 minutes ago')
    assert.equal(formatRelative('2026-11-21T11:59:55.000Z', now), 'now')
    assert.equal(formatRelative('2026-11-20T11:00:00.000Z', now), 'yesterday')
    assert.equal(formatRelative('2026-11-21T14:00:00.000Z', now), 'in 2 hours')
  })

  it('formats counts with their noun and codes as words', () => {
    assert.equal(formatCount(1, 'record'), '1 record')
    assert.equal(formatCount(1234567, 'record'), '1,234,567 records')
    assert.equal(formatWord('timed_out'), 'Timed out')
  })

  it('formats durations and sizes in the fitting unit', () => {
    assert.deepEqual([400, 12_345, 185_000, 7_440_000].map(formatDuration), [
      '0.4 s',
      '12 s',
      '3 min 5 s',
      '2 h 4 min',
    ])
    assert.deepEqual([999, 12_345_678].map(formatBytes), ['999 B', '12.3 MB'])
  })
})
