/** The kinds of values of the types in a manifest. The specification uses only `string`; the others are common. */
import {
  BOOLEAN_TYPES,
  DATE_TYPES,
  NUMBER_TYPES,
  numberKey,
  parseTimeSpan,
} from '@recordhub/protocol/field-filter'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { isCalendarDate } from '../../lib/time/rfc3339.ts'

const TEXT = new Set(['string', 'text', 'email', 'url', 'uuid', 'phone', 'enum', 'time'])
const ANY = new Set(['json', 'object', 'array', 'any', 'mixed'])
/** Keys that suggest a date although the type is only `string`. */
const DATE_KEY = /(?:^|_)(?:at|date)$/

/** The kinds of values that the hub can check. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'any'

/** All types that the hub knows, by the kind of their values. */
export const FIELD_TYPES: readonly {
  kind: ValueKind
  types: ReadonlySet<string>
  values: string
}[] = [
  { kind: 'text', types: TEXT, values: 'a text' },
  {
    kind: 'number',
    types: NUMBER_TYPES,
    values: 'a number, or a text that is one, such as `"12.50"`',
  },
  { kind: 'boolean', types: BOOLEAN_TYPES, values: '`true` or `false`' },
  {
    kind: 'date',
    types: DATE_TYPES,
    values: 'a text: `2026-11-21`, or with a time and its zone `2026-11-21T07:30:00Z`',
  },
  { kind: 'any', types: ANY, values: 'any JSON' },
]

/** The kind of a manifest type; null for an unknown type. */
export function valueKindOf(type: string): ValueKind | null {
  const name = type.toLowerCase()
  return FIELD_TYPES.find(({ types }) => types.has(name))?.kind ?? null
}

/** Whether the hub knows a type. */
export function isKnownType(type: string): boolean {
  return valueKindOf(type) !== null
}

/** The label of a value's kind, such as "a number", if it is not the expected kind. Otherwise, or for null, null. */
export function findKindMismatch(value: JsonValue, expected: ValueKind): string | null {
  const kind = kindOf(value)
  if (dependsOnText(kind, expected)) return findTextMismatch(String(value), expected)
  return compareKind(kind, expected)
}

/**
 * As {@link findKindMismatch}, of a value that is not parsed.
 * @param bytes contain the value as JSON text from `start` to `end`.
 */
export function findKindMismatchOfText(
  bytes: Buffer,
  start: number,
  end: number,
  expected: ValueKind,
): string | null {
  const kind = KIND_OF_FIRST_BYTE.get(bytes[start] ?? 0) ?? NUMBER
  if (dependsOnText(kind, expected)) {
    return findTextMismatch(readString(bytes, start, end), expected)
  }
  return compareKind(kind, expected)
}

/** The value of a valid JSON string. */
function readString(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? String(parseLossless(bytes.toString('utf8', start, end))) : text
}

/** A text can be a number, and is not always a date. */
function dependsOnText(kind: string, expected: ValueKind): boolean {
  return kind === STRING && (expected === 'number' || expected === 'date')
}

function findTextMismatch(text: string, expected: ValueKind): string | null {
  if (expected === 'number') return numberKey(text) === null ? STRING : null
  return isUnreadableDate(text) ? 'a text that is not a date' : null
}

function compareKind(kind: string, expected: ValueKind): string | null {
  if (kind === NULL || expected === 'any') return null
  return kind === EXPECTED_KINDS[expected] ? null : kind
}

/**
 * As {@link findKindMismatch}, by the type in the manifest. Any text counts as a date, because {@link isBadDate} reports
 * texts that are not dates.
 */
export function findTypeMismatch(value: JsonValue, type: string): string | null {
  const kind = valueKindOf(type) ?? 'any'
  return findKindMismatch(value, kind === 'date' ? 'text' : kind)
}

/** Whether the value of a field that should hold dates, by its type or its key, is a text that is not a date. */
export function isBadDate(value: JsonValue, { key, type }: { key: string; type: string }): boolean {
  return (DATE_TYPES.has(type.toLowerCase()) || DATE_KEY.test(key)) && isUnreadableDate(value)
}

/** Whether a value is a text that programs may parse as different dates. An empty text means no date. */
function isUnreadableDate(value: JsonValue): boolean {
  return typeof value === 'string' && value !== '' && !isReadableDate(value)
}

/** A day, or a day and a time with or without a zone. */
function isReadableDate(text: string): boolean {
  if (UTC_DATE_AND_TIME.test(text)) {
    return isCalendarDate(+text.slice(0, 4), +text.slice(5, 7), +text.slice(8, 10))
  }
  return parseTimeSpan(text) !== null
}

/** The usual form, whose time is valid. Recognising it takes a third of the time of {@link parseTimeSpan}. */
const UTC_DATE_AND_TIME =
  /^\d{4}-\d\d-\d\d(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?Z?)?$/

/** The labels of the kinds of values. */
const STRING = 'a text'
const BOOLEAN_VALUE = 'true or false'
const NUMBER = 'a number'
const LIST = 'a list'
const OBJECT = 'an object'
const NULL = 'null'

const EXPECTED_KINDS = { number: NUMBER, boolean: BOOLEAN_VALUE, date: STRING, text: STRING }

/** All first bytes but those of numbers. */
const KIND_OF_FIRST_BYTE: ReadonlyMap<number, string> = new Map([
  [0x22, STRING],
  [0x5b, LIST],
  [0x66, BOOLEAN_VALUE],
  [0x6e, NULL],
  [0x74, BOOLEAN_VALUE],
  [0x7b, OBJECT],
])

function kindOf(value: JsonValue): string {
  if (typeof value === 'string') return STRING
  if (typeof value === 'boolean') return BOOLEAN_VALUE
  if (typeof value === 'number' || JSON.isRawJSON(value)) return NUMBER
  if (Array.isArray(value)) return LIST
  return isJsonObject(value) ? OBJECT : NULL
}
