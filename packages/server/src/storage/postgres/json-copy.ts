/** Cheap to find; whatever else is short enough holds nothing that `jsonb` refuses. */
const MAYBE_REFUSED = /\\u(?:0000|[dD][89a-fA-F])|[eE][+-]?\d{4}/
const LONG = 16_000
/** Of `numeric` (https://www.postgresql.org/docs/current/datatype-numeric.html). */
const MAX_DIGITS_BEFORE_POINT = 131_072
const MAX_DIGITS_AFTER_POINT = 16_383

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/**
 * The JSON text of a record's copy for search and filter, where `jsonb` would not take the text as it
 * is: refused characters (U+0000, half of a surrogate pair) become U+FFFD, numbers beyond its range
 * strings. Takes a time that grows with the length of the text and no faster.
 * @param data as `stringifyExact` writes it: it escapes a surrogate only where its other half is missing.
 * @returns null where the text itself will do.
 */
export function jsonCopy(data: string): string | null {
  if (data.length < LONG && !MAYBE_REFUSED.test(data)) return null
  const pieces: string[] = []
  let copied = 0
  const replace = (from: number, to: number, piece: string) => {
    pieces.push(data.slice(copied, from), piece)
    copied = to
  }
  let at = 0
  while (at < data.length) {
    const code = data.charCodeAt(at)
    if (code === QUOTE) at = copyString(data, at + 1, replace)
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = findNumberEnd(data, at)
      if (isBeyondRange(data.slice(at, end))) replace(at, end, `"${data.slice(at, end)}"`)
      at = end
    } else at++
  }
  return pieces.length === 0 ? null : pieces.join('') + data.slice(copied)
}

type Replace = (from: number, to: number, piece: string) => void

/** @returns the place behind the closing quote. */
function copyString(data: string, from: number, replace: Replace): number {
  let at = from
  while (at < data.length) {
    const code = data.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code !== BACKSLASH) at++
    else if (isRefusedEscape(data, at)) {
      replace(at, at + 6, '\ufffd')
      at += 6
    } else at += 2
  }
  return at
}

function isRefusedEscape(data: string, at: number): boolean {
  return data[at + 1] === 'u' && /^(?:0000|[dD][89a-fA-F])/.test(data.slice(at + 2, at + 6))
}

function findNumberEnd(data: string, from: number): number {
  let at = from + 1
  while (at < data.length && /[\d.eE+-]/.test(data.charAt(at))) at++
  return at
}

function isBeyondRange(token: string): boolean {
  const [mantissa = '', exponentText = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const exponent = Number(exponentText)
  return (
    whole.length + exponent > MAX_DIGITS_BEFORE_POINT ||
    fraction.length - exponent > MAX_DIGITS_AFTER_POINT
  )
}
