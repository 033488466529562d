/**
 * What values of fields are compared by: texts whose order by code point is the order of the values, so
 * that every database sorts them alike, numbers of any size and precision included.
 */

import { canonicalText, type JsonValue } from '@recordhub/protocol/lossless-json'
import { beginningOf } from '../../lib/text/code-points.ts'

/** Longer texts are sorted and compared by their beginning, in code points: an index takes no more. */
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

/** Whether a manifest says of a field that its values are numbers. */
export function isNumericType(type: string): boolean {
  return NUMERIC_TYPES.has(type.toLowerCase())
}

/** A value as people see it: texts and numbers as they are written; null for absent and null. */
export function valueText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  if (typeof value === 'object' && JSON.isRawJSON(value)) return value.rawJSON
  return canonicalText(value)
}

/**
 * The key of a value. Where the field is numeric, numbers (also as texts) come first, by size; what
 * is no number comes after them, by code point.
 */
export function sortKeyOf(value: JsonValue | undefined, isNumeric: boolean): string | null {
  const text = valueText(value)
  return text === null ? null : sortKeyOfText(text, isNumeric)
}

/** As {@link sortKeyOf}, of a value as people see it. */
export function sortKeyOfText(text: string, isNumeric: boolean): string {
  if (!isNumeric) return textKey(text)
  return numberKey(text) ?? `${TEXT_MARK}${textKey(text)}`
}

/** Whether the key that a value has in a numeric field is that of no number. */
export function isKeyOfText(key: string): boolean {
  return key.startsWith(TEXT_MARK)
}

function textKey(text: string): string {
  return beginningOf(text, MAX_KEY_LENGTH).toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Behind the marks of all numbers. */
const TEXT_MARK = 'T'
const NUMBER = /^\s*(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*$/
const MAX_NUMBER_LENGTH = 1000
const MAX_EXPONENT = 999_999

/**
 * The key of a number as it is written, exact to its last digit (of those that a key holds): its sign, its
 * magnitude, its digits. Null where the text is no number, or one beyond every measure.
 */
export function numberKey(text: string): string | null {
  if (text.length > MAX_NUMBER_LENGTH) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (sign === undefined) return null
  const written = whole + fraction
  const digits = written.replace(/^0+/, '').replace(/0+$/, '')
  if (digits === '') return 'O'
  const leadingZeros = written.length - written.replace(/^0+/, '').length
  const magnitude = whole.length - leadingZeros + Number(exponent)
  if (!(Math.abs(magnitude) <= MAX_EXPONENT)) return null
  const key = String(magnitude + MAX_EXPONENT).padStart(7, '0') + digits.slice(0, MAX_KEY_LENGTH)
  // Of negative numbers the larger one is smaller: nines' complement, and an end above all digits.
  return sign === '' ? `P${key}` : `N${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}
