/** Formats numbers and times. */

const DATE = { month: 'short', day: '2-digit', year: 'numeric' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', hour12: true } as const
const SECOND = { ...CLOCK, second: '2-digit' } as const

/** Formats times as specification 2.1 requires, in the viewer's time zone unless another one is given. */
export function createTimeFormat(timeZone?: string) {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...DATE,
    ...SECOND,
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  return (iso: string, { seconds = false }: { seconds?: boolean } = {}): string => {
    const part = Object.fromEntries(
      parts.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
    )
    const { month, day, year, hour, minute, second, dayPeriod } = part
    const time = seconds ? `${hour}:${minute}:${second}` : `${hour}:${minute}`
    return `${month} ${day}, ${year} ${time} ${dayPeriod}`
  }
}

/** `Nov 21, 2026 07:30 AM` in the viewer's zone; with seconds `Nov 21, 2026 07:30:05 AM`. */
export const formatTime = createTimeFormat()

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** `3 minutes ago`, `in 2 hours`, `now`. */
export function formatRelative(iso: string, now: number): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return Math.abs(seconds) < 10 ? 'now' : relative.format(seconds, 'second')
}

const AGES: [string, number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** `12 s ago`, `3 h ago`; `now` within a second, and for a time of a clock that is ahead. */
export function formatAge(iso: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(iso)) / 1000)
  const [unit, size] = AGES.find(([, one]) => seconds >= one) ?? ['', 0]
  return size === 0 ? 'now' : `${formatNumber(Math.floor(seconds / size))} ${unit} ago`
}

const clock = new Intl.DateTimeFormat('en-US', CLOCK)
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit' })
const exact = new Intl.DateTimeFormat('en-US', { ...DATE, ...SECOND, timeZoneName: 'short' })

/** `03:34 PM`, and `Nov 24, 03:34 PM` on another day, in the viewer's zone. */
export function formatClock(iso: string, now: number): string {
  const at = new Date(iso)
  const isToday = day.format(at) === day.format(now) && Math.abs(now - at.getTime()) < 86_400_000
  return isToday ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`
}

const secondOfDay = new Intl.DateTimeFormat('en-US', SECOND)
const millisecondOfDay = new Intl.DateTimeFormat('en-US', { ...SECOND, fractionalSecondDigits: 3 })

/** The time of a day, whose date stands above it: `03:42:09 PM`, or with milliseconds `03:42:09.118 PM`. */
export function formatSecond(iso: string, { milliseconds = false } = {}): string {
  return (milliseconds ? millisecondOfDay : secondOfDay).format(new Date(iso))
}

/** The day of a time in the viewer's zone: `Today`, `Yesterday`, `Nov 21`, and with the year if it is another one. */
export function formatDay(iso: string, now: number): string {
  const at = new Date(iso)
  const text = day.format(at)
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  const isOf = (other: Date) => at.toDateString() === other.toDateString()
  if (isOf(new Date(now))) return 'Today'
  if (isOf(yesterday)) return 'Yesterday'
  return at.getFullYear() === new Date(now).getFullYear() ? text : `${text}, ${at.getFullYear()}`
}

/** With seconds and the viewer's zone: `Nov 25, 2026, 03:42:11 PM GMT+1`. */
export function formatExact(iso: string): string {
  return exact.format(new Date(iso))
}

const numbers = new Intl.NumberFormat('en-US')
const shortNumbers = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumFractionDigits: 1,
})

/** `1,234,567` */
export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** `1.2M` */
export function formatShort(value: number): string {
  return shortNumbers.format(value)
}

/** `1 record`, `1,234 records` */
export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min` */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** `6 ms`, `0.4 ms`, `2.1 s` */
export function formatLatency(ms: number): string {
  if (ms >= 1000) return formatDuration(ms)
  return `${ms < 1 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** `8 s`, `3 min 5 s`: a time that is counted each second */
export function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : formatDuration(ms)
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** `12.3 MB`, in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}

/** `timed_out` → `Timed out` */
export function formatCode(code: string): string {
  const text = code.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `placeName`, `place_name` → `Place name`: the key of a value without a label */
export function formatKey(key: string): string {
  return formatCode(key.replace(/(?<=[a-z])(?=[A-Z])/g, '_').replace(/[_-]+/g, '_')).replace(
    / [A-Z](?=[a-z])/g,
    (start) => start.toLowerCase(),
  )
}
