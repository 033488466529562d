import { trimTrailing } from '@recordhub/protocol/text'

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/

/**
 * Parses an RFC 3339 date-time and returns it in UTC with nine fractional digits, so that times sort as text and
 * times in microseconds keep their order. Returns null for any other text. A leap second counts as the second
 * before it.
 */
export function parseRfc3339(text: string): string | null {
  const match = RFC_3339.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '', minute = '', second = '', fraction = '', offset] = match
  if (!isCalendarDate(Number(year), Number(month), Number(day))) return null
  const wholeSecond = second === '60' ? '59' : second
  const zone = (offset ?? 'Z').toUpperCase()
  const time = `${year}-${month}-${day}T${hour}:${minute}:${wholeSecond}`
  const isInUtc = zone === 'Z' && hour < '24' && minute < '60' && wholeSecond < '60'
  const utc = isInUtc ? time : toUtc(`${time}${zone}`)
  return utc && `${utc}.${fraction.slice(0, 9).padEnd(9, '0')}Z`
}

/** Converts a time to UTC, without a fraction. Takes several times as long as the rest of {@link parseRfc3339}. */
function toUtc(time: string): string | null {
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds)) return null
  const utc = new Date(milliseconds).toISOString()
  return utc.length === 24 ? utc.slice(0, 19) : null
}

/**
 * Converts an RFC 3339 date-time to the form of the hub's own times, in UTC to the millisecond, so that they compare as
 * text. Returns null for any other text.
 */
export function parseTimestamp(text: string): string | null {
  const instant = parseRfc3339(text)
  return instant === null ? null : `${instant.slice(0, 23)}Z`
}

/** The rule of {@link parseTimestamp}, for the error of an invalid member. */
export const TIMESTAMP_RULE = 'must be an RFC 3339 date-time such as 2026-11-21T07:30:00Z'

/** Whether a month has a day. `Date.parse` interprets 30 February as 2 March. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeapYear ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Removes the zeros at the end of the fraction of a time in the form of {@link parseRfc3339}, for people. */
export function shortenRfc3339(time: string): string {
  return `${trimTrailing(trimTrailing(time.slice(0, -1), '0'), '.')}Z`
}

/** A point in time in the form of {@link parseRfc3339}. */
export function formatRfc3339(date: Date): string {
  return `${date.toISOString().slice(0, 23)}000000Z`
}
