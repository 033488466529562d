/**
 * Parameters of the write path: arrays in PostgreSQL's binary form (`array_send`), and JSON texts that `jsonb` accepts.
 * In the text form of an array, the hub escapes and the server unescapes each quote of a JSON text, which takes longer
 * than storing the record.
 */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const INT8_BYTES = 8
const TEXT_TYPE = 25
const INT8_TYPE = 20
const TWO_32 = 2 ** 32

/** A `text[]` parameter. The texts must contain neither U+0000 nor a lone surrogate. */
export function textArray(values: readonly (string | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const array = allocate(values.length, total, TEXT_TYPE)
  let at = HEADER_BYTES
  for (const [index, value] of values.entries()) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
      continue
    }
    at = array.writeInt32BE(sizes[index] ?? 0, at)
    at += array.write(value, at)
  }
  return array
}

/** A `bigint[]` parameter of safe integers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  const numbers = values.reduce<number>((count, value) => count + (value === null ? 0 : 1), 0)
  const array = allocate(values.length, numbers * INT8_BYTES, INT8_TYPE)
  let at = HEADER_BYTES
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
      continue
    }
    at = array.writeInt32BE(INT8_BYTES, at)
    at = array.writeInt32BE(Math.floor(value / TWO_32), at)
    at = array.writeUInt32BE(value >>> 0, at)
  }
  return array
}

/** Allocates an array with one dimension, whose lower bound is 1. */
function allocate(count: number, bytes: number, type: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16)
  return array
}

/** A fast test for values that `jsonb` may reject. It accepts a short text without a match. */
const MAYBE_REJECTED = /\\u(?:0000|[dD][89a-fA-F])|[eE][+-]?\d{4}/
const LONG = 16_000
/** The range of `numeric` (https://www.postgresql.org/docs/current/datatype-numeric.html). */
const MAX_DIGITS_BEFORE_POINT = 131_072
const MAX_DIGITS_AFTER_POINT = 16_383

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/**
 * Rewrites a record's JSON text for its `jsonb` copy: U+0000 and lone surrogates become U+FFFD, and numbers beyond the
 * range of `numeric` become strings. Runs in linear time.
 * @param data as written by `stringifyLossless`, which escapes only lone surrogates.
 * @returns null if `jsonb` accepts the text as it is.
 */
export function jsonCopy(data: string): string | null {
  if (data.length < LONG && !MAYBE_REJECTED.test(data)) return null
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

/** @returns the offset after the closing quote. */
function copyString(data: string, from: number, replace: Replace): number {
  let at = from
  while (at < data.length) {
    const code = data.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code !== BACKSLASH) at++
    else if (isRejectedEscape(data, at)) {
      replace(at, at + 6, '\ufffd')
      at += 6
    } else at += 2
  }
  return at
}

function isRejectedEscape(data: string, at: number): boolean {
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
