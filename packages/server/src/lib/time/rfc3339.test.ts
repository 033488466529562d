import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
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

test('a time in UTC is converted like one with an offset of zero, and days exist as in the calendar', () => {
  const number = (max: number) => fc.nat(max).map((value) => String(value).padStart(2, '0'))
  const year = fc.oneof(
    fc.constantFrom('0000', '1900', '2000', '2024', '9999'),
    fc.integer({ min: 1000, max: 9999 }),
  )
  const numbers = fc.tuple(year, number(13), number(32), number(25), number(61), number(61))
  fc.assert(
    fc.property(numbers, ([y, month, day, hour, minute, second]) => {
      const date = `${y}-${month}-${day}`
      const time = `${date}T${hour}:${minute}:${second}`
      assert.equal(parseRfc3339(`${time}Z`), parseRfc3339(`${time}+00:00`))
      const midnight = new Date(`${date}T00:00:00Z`)
      const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
      assert.equal(parseRfc3339(`${date}T00:00:00Z`) !== null, exists)
    }),
    { numRuns: 1000 },
  )
})

test('times sort as text', () => {
  const earlier = parseRfc3339('2026-11-21T07:30:00.000001Z')
  const later = parseRfc3339('2026-11-21T08:30:00.000002+01:00')
  assert.ok(earlier !== null && later !== null && earlier < later)
  assert.equal(formatRfc3339(new Date(0)), '1970-01-01T00:00:00.000000000Z')
})
