import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatRfc3339, parseRfc3339 } from './rfc3339.ts'

test('a time is converted to UTC, with its fraction to the nanosecond', () => {
  assert.equal(parseRfc3339('2026-11-21T07:30:00Z'), '2026-11-21T07:30:00.000000000Z')
  assert.equal(parseRfc3339('2026-11-21T09:30:00.123456+02:00'), '2026-11-21T07:30:00.123456000Z')
  assert.equal(parseRfc3339('2026-01-01t00:00:00.1234567899z'), '2026-01-01T00:00:00.123456789Z')
  assert.equal(parseRfc3339('2016-12-31T23:59:60Z'), '2016-12-31T23:59:59.000000000Z')
})

test('a text that is not an RFC 3339 date-time is rejected', () => {
  for (const text of [
    '',
    '2026-11-21',
    '2026-11-21T07:30:00',
    '21.11.2026 07:30',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T25:00:00Z',
    '0000-01-01T00:00:00+02:00',
    'now',
  ]) {
    assert.equal(parseRfc3339(text), null, text)
  }
})

test('times sort as text', () => {
  const earlier = parseRfc3339('2026-11-21T07:30:00.000001Z')
  const later = parseRfc3339('2026-11-21T08:30:00.000002+01:00')
  assert.ok(earlier !== null && later !== null && earlier < later)
  assert.equal(formatRfc3339(new Date(0)), '1970-01-01T00:00:00.000000000Z')
})
