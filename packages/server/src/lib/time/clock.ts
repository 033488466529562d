/** The source of the time, which tests replace. */
export type Clock = { now(): Date }

/** Milliseconds since an arbitrary moment, which never decrease, unlike the time of day. `performance` is one. */
export type MonotonicClock = { now(): number }

export const systemClock: Clock = { now: () => new Date() }

/** The calendar day (`2026-11-21`) that an instant falls on in a time zone. */
export function createDayOf(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  // Formatting takes longer than a push. In every time zone, a day begins at a full quarter of an hour.
  let quarter = Number.NaN
  let day = ''
  return (at) => {
    const current = Math.floor(at.getTime() / 900_000)
    if (current !== quarter) {
      day = format.format(at)
      quarter = current
    }
    return day
  }
}

/** The instant (RFC 3339 in UTC) the given number of 24-hour days later. */
export function daysFrom(at: Date, days: number): string {
  return new Date(at.getTime() + days * 86_400_000).toISOString()
}

/** The hour that contains an instant (RFC 3339 in UTC), as counters name it: `2026-11-21T07`. */
export function toHour(at: string): string {
  return at.slice(0, 13)
}

/** Whether two instants (RFC 3339 in UTC) are in the same minute. */
export function isSameMinute(one: string, other: string): boolean {
  return one.slice(0, 16) === other.slice(0, 16)
}

const INSTANTS = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** A message with its instants (RFC 3339 in UTC) formatted for readers whose time zone is unknown. */
export function formatInstants(message: string): string {
  return message.replace(INSTANTS, formatTime)
}

/** Formats an instant (RFC 3339 in UTC) for readers: `2026-11-21 07:30 UTC`. */
export function formatTime(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}
