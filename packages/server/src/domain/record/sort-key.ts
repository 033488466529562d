/**
 * Sort keys: texts whose code point order is the order of the values they stand for. Every database sorts them
 * the same way, including numbers of any size and precision.
 */
import { canonicalText, type JsonValue, significantDigits } from '@recordhub/protocol/lossless-json'
import { truncateCodePoints } from '../../lib/text/code-points.ts'

/** In code points. Longer texts are truncated, since an index has a limit. */
export const MAX_KEY_LENGTH = 256

export const NUMERIC_TYPES: ReadonlySet<string> = new Set([
  'number',
  'numeric',
  'integer',
  'int',
  'bigint',
  'decimal',
  'float',
  'double',
])

/** Whether a manifest type is numeric. */
export function isNumericType(type: string): boolean {
  return NUMERIC_TYPES.has(type.toLowerCase())
}

/** Returns a value as it is displayed: text and numbers as written; null for absent and null. */
export function valueText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  if (typeof value === 'object' && JSON.isRawJSON(value)) return value.rawJSON
  return canonicalText(value)
}

/**
 * Returns the sort key of a value; null for absent and null. In a numeric field, numbers (even as strings) come
 * first, by size; all other values follow by code point.
 */
export function sortKeyOf(value: JsonValue | undefined, isNumeric: boolean): string | null {
  const text = valueText(value)
  return text === null ? null : sortKeyOfText(text, isNumeric)
}

/** As {@link sortKeyOf}, for the text of {@link valueText}. */
export function sortKeyOfText(text: string, isNumeric: boolean): string {
  if (!isNumeric) return textKey(text)
  return numberKey(text) ?? `${TEXT_PREFIX}${textKey(text)}`
}

/** Whether a sort key of a numeric field stands for a value that is not a number. */
export function isTextKey(key: string): boolean {
  return key.startsWith(TEXT_PREFIX)
}

function textKey(text: string): string {
  return truncateCodePoints(text, MAX_KEY_LENGTH).toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Sorts after the first characters of all keys of numbers. */
const TEXT_PREFIX = 'T'
const NUMBER = /^\s*(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*$/
const MAX_NUMBER_LENGTH = 1000
const MAX_EXPONENT = 999_999

/**
 * Returns the sort key of a number: its sign, magnitude and digits, exact up to the length of a key. Returns null
 * if the text is not a number, or its exponent is too large.
 */
export function numberKey(text: string): string | null {
  if (text.length > MAX_NUMBER_LENGTH) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (sign === undefined) return null
  const written = whole + fraction
  const digits = significantDigits(written)
  if (digits === '') return 'O'
  const leadingZeros = written.length - written.replace(/^0+/, '').length
  const magnitude = whole.length - leadingZeros + Number(exponent)
  if (!(Math.abs(magnitude) <= MAX_EXPONENT)) return null
  const key = String(magnitude + MAX_EXPONENT).padStart(7, '0') + digits.slice(0, MAX_KEY_LENGTH)
  // Negative numbers sort in reverse: nines' complement, and a last character above all digits.
  return sign === '' ? `P${key}` : `N${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}
