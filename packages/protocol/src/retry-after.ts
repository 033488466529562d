/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3).
 * @param now the time that a date is relative to: best the response's own `Date` header, since clocks differ.
 * @returns the delay in milliseconds, or null if the header is empty or invalid.
 */
export function parseRetryAfter(value: string, now: Date): number | null {
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8}[ ,]/.test(text)) return null
  const delay = Date.parse(text) - now.getTime()
  return Number.isNaN(delay) ? null : Math.max(0, delay)
}
