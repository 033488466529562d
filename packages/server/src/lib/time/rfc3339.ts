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
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match
  const wholeSecond = second === '60' ? '59' : second
  const zone = offset.toUpperCase()
  const date = `${year}-${month}-${day}`
  const milliseconds = Date.parse(`${date}T${hour}:${minute}:${wholeSecond}${zone}`)
  if (Number.isNaN(milliseconds) || !isCalendarDate(date)) return null
  const utc = new Date(milliseconds).toISOString()
  if (utc.length !== 24) return null
  return `${utc.slice(0, 19)}.${fraction.slice(0, 9).padEnd(9, '0')}Z`
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

/** `Date.parse` interprets 30 February as 2 March. */
function isCalendarDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

/** A point in time in the form of {@link parseRfc3339}. */
export function formatRfc3339(date: Date): string {
  return `${date.toISOString().slice(0, 23)}000000Z`
}
