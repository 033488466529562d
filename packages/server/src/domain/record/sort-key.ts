/**
 * Sort keys: texts whose code point order is the order of the values they stand for. Every database sorts them
 * the same way, including numbers of any size and precision.
 */
import { type DataPath, valuesAt } from '@recordhub/protocol/data-path'
import { type DataKind, numberKey } from '@recordhub/protocol/field-filter'
import { canonicalText, type JsonValue } from '@recordhub/protocol/lossless-json'
import { truncateCodePoints } from '../../lib/text/code-points.ts'

/** In code points. Longer texts are truncated, since an index has a limit. */
export const MAX_KEY_LENGTH = 256

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

/** As {@link sortKeyOf}, of the first value at a path that is not null. */
export function sortKeyAt(data: JsonValue, path: DataPath, isNumeric: boolean): string | null {
  return sortKeyOf(
    valuesAt(data, path).find((value) => value !== null),
    isNumeric,
  )
}

/** Whether values of a kind are sorted as numbers, where they are numbers. */
export function isSortedAsNumber(kind: DataKind | undefined): boolean {
  return kind === 'number' || kind === 'by_value'
}

/** As {@link sortKeyOf}, for the text of {@link valueText}. */
export function sortKeyOfText(text: string, isNumeric: boolean): string {
  if (!isNumeric) return textKey(text)
  return numberKey(text) ?? `${TEXT_PREFIX}${textKey(text)}`
}

function textKey(text: string): string {
  return truncateCodePoints(text, MAX_KEY_LENGTH).toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Sorts after the first characters of all keys of numbers. */
const TEXT_PREFIX = 'T'
