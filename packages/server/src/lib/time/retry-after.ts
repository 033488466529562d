/**
 * How long an answer asks to be left alone (RFC 9110, 10.2.3), in milliseconds; null where it does not
 * say, or not in a way that can be understood. A date counts from `now`, which is best the answer's own
 * `Date`, since clocks differ.
 */
export function parseRetryAfter(value: string, now: Date): number | null {
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Z][a-z]{2,8}[ ,]/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
