import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createTimeFormat,
  formatAgo,
  formatBytes,
  formatCode,
  formatCount,
  formatDuration,
  formatRelative,
} from './format.ts'

const formatInUtc = createTimeFormat('UTC')

describe('formatting of numbers and times', () => {
  it('formats a time as the specification requires', () => {
    assert.equal(formatInUtc('2026-11-21T07:30:00.000Z'), 'Nov 21, 2026 07:30 AM')
    assert.equal(formatInUtc('2026-01-02T00:05:59.999Z'), 'Jan 02, 2026 12:05 AM')
    assert.equal(formatInUtc('2026-06-30T12:00:00.000Z'), 'Jun 30, 2026 12:00 PM')
  })

  it('adds the seconds where entries can fall within the same minute', () => {
    const seconds = (iso: string) => formatInUtc(iso, { seconds: true })
    assert.equal(seconds('2026-11-21T07:30:05.999Z'), 'Nov 21, 2026 07:30:05 AM')
    assert.equal(seconds('2026-01-02T00:00:00.000Z'), 'Jan 02, 2026 12:00:00 AM')
  })

  it('formats a time relative to now', () => {
    const now = Date.parse('2026-11-21T12:00:00.000Z')
    assert.equal(formatRelative('2026-11-21T11:57:00.000Z', now), '3 minutes ago')
    assert.equal(formatRelative('2026-11-21T11:59:55.000Z', now), 'now')
    assert.equal(formatRelative('2026-11-20T11:00:00.000Z', now), 'yesterday')
    assert.equal(formatRelative('2026-11-21T14:00:00.000Z', now), 'in 2 hours')
  })

  it('formats an age in one unit, and an old one as its date', () => {
    const now = Date.parse('2026-11-21T12:00:00.000Z')
    const ages = [
      '2026-11-21T12:00:00.900Z',
      '2026-11-21T11:59:58.000Z',
      '2026-11-21T10:30:00.000Z',
    ]
    assert.deepEqual(
      [...ages, '2026-11-18T12:00:00.000Z', '2026-09-15T12:00:00.000Z'].map((at) =>
        formatAgo(at, now),
      ),
      ['now', '2 s ago', '1 h ago', '3 d ago', 'Sep 15, 2026'],
    )
  })

  it('formats counts with their noun, and codes as labels', () => {
    assert.equal(formatCount(1, 'record'), '1 record')
    assert.equal(formatCount(1234567, 'record'), '1,234,567 records')
    assert.equal(formatCode('timed_out'), 'Timed out')
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
