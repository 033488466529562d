/** What the values of a field are compared as, and the values that a filter of the field accepts: for the hub and the page. */
import { MAX_NUMBER_LENGTH } from './constants.ts'
import { type DataPath, isNested } from './data-path.ts'
import { significantDigits } from './lossless-json.ts'

export const NUMBER_TYPES: ReadonlySet<string> = new Set([
  'number',
  'numeric',
  'integer',
  'int',
  'bigint',
  'decimal',
  'float',
  'double',
])
export const BOOLEAN_TYPES: ReadonlySet<string> = new Set(['boolean', 'bool'])
export const DATE_TYPES: ReadonlySet<string> = new Set([
  'date',
  'datetime',
  'date-time',
  'timestamp',
])
/** Every module has these fields, and they are dates unless their type is that of other values (specification 2.1). */
const DATE_KEYS: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

export type FieldKind = 'text' | 'number' | 'boolean' | 'date'
/** `by_value`: nested values, which have no type in a manifest. Each is compared as the JSON value that it is. */
export type DataKind = FieldKind | 'by_value'
/** `instant`: the times of the hub's own columns, which all have a zone. */
export type FilterKind = DataKind | 'instant'

/** What the values of a field are compared as. Unknown types are compared as text. */
export function fieldKindOf({ key, type }: { key: string; type: string }): FieldKind {
  const name = type.toLowerCase()
  if (NUMBER_TYPES.has(name)) return 'number'
  if (BOOLEAN_TYPES.has(name)) return 'boolean'
  return DATE_TYPES.has(name) || DATE_KEYS.has(key) ? 'date' : 'text'
}

/** The kind of a field in a list: that of all modules which have the field, otherwise text. */
export function commonKindOf(fields: readonly { key: string; type: string }[]): FieldKind {
  const [kind = 'text', ...others] = new Set(fields.map(fieldKindOf))
  return others.length === 0 ? kind : 'text'
}

/** The keys of the fields of a manifest that a path can mean. */
export function fieldKeysOf({ text, steps }: DataPath): string[] {
  const [first] = steps
  const isKey = steps.length === 1 && typeof first === 'string' && first !== text
  return isKey ? [text, first] : [text]
}

/** The kind of the values at a path in a list. @param fields those of all its modules whose keys the path can mean. */
export function kindOfPath(
  path: DataPath,
  fields: readonly { key: string; type: string }[],
): DataKind {
  return fields.length === 0 && isNested(path) ? 'by_value' : commonKindOf(fields)
}

/**
 * The conditions of a filter. `ne` is the opposite of `is`. `in` is met by any of its values, which are repeated parameters.
 * `empty` has the value `true` or `false`.
 */
export const FILTER_TESTS = [
  'is',
  'ne',
  'in',
  'contains',
  'starts',
  'empty',
  'before',
  'after',
] as const
export type FilterTest = (typeof FILTER_TESTS)[number]

const RULES: Record<FilterKind, string> = {
  text: '',
  by_value: '',
  number: 'must be a number such as 1000 or -12.5',
  boolean: 'must be true or false',
  date: 'must be a date such as 2026-11-21, or a time such as 2026-11-21T07:30Z',
  instant:
    'must be a date such as 2026-11-21, or a time with its zone such as 2026-11-21T07:30Z or 2026-11-21T08:30+01:00',
}

/** What is wrong with the value of a filter, as the end of a sentence; null if the value is valid. */
export function findFilterProblem(
  kind: FilterKind,
  test: FilterTest,
  value: string,
): string | null {
  if (test === 'empty') return isBoolean(value) ? null : RULES.boolean
  // These compare parts of the text.
  if (test === 'contains' || test === 'starts') return null
  return isValueOf(kind, value) ? null : RULES[kind]
}

function isValueOf(kind: FilterKind, value: string): boolean {
  switch (kind) {
    case 'text':
    case 'by_value':
      return true
    case 'number':
      return numberKey(value) !== null
    case 'boolean':
      return isBoolean(value)
    case 'date':
      return parseTimeSpan(value) !== null
    case 'instant':
      return parseTimeSpan(value)?.hasZone ?? false
  }
}

function isBoolean(text: string): boolean {
  return text === 'true' || text === 'false'
}

/** Maximum number of digits in the key of a number. Longer keys are truncated, since an index has a limit. */
const MAX_KEY_DIGITS = 256
const NUMBER = /^\s*(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?\s*$/
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
  const key = String(magnitude + MAX_EXPONENT).padStart(7, '0') + digits.slice(0, MAX_KEY_DIGITS)
  // Negative numbers sort in reverse: nines' complement, and a last character above all digits.
  return sign === '' ? `P${key}` : `N${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}

/** A day, minute, second or shorter span, in nanoseconds since 1970. */
export type TimeSpan = {
  from: bigint
  /** Exclusive. */
  until: bigint
  /** Whether the text is a day, or has a zone. */
  hasZone: boolean
}

const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?([Zz]|[+-]\d\d:\d\d)?)?$/
const SECOND = 1_000_000_000n

/**
 * Parses a day, or a day and a time with or without seconds and a zone; null for any other text. A day, and a time without
 * a zone, are in UTC. A leap second counts as the second before it.
 */
export function parseTimeSpan(text: string): TimeSpan | null {
  const [, day, minute, second, fraction = '', zone] = TIME.exec(text) ?? []
  if (day === undefined) return null
  const midnight = Date.parse(`${day}T00:00Z`)
  // `Date.parse` interprets 30 February as 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null
  const wholeSecond = second === '60' ? '59' : (second ?? '00')
  const at =
    minute === undefined
      ? midnight
      : Date.parse(`${day}T${minute}:${wholeSecond}${zone?.toUpperCase() ?? 'Z'}`)
  if (Number.isNaN(at)) return null
  const from = BigInt(at) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
  const hasZone = minute === undefined || zone !== undefined
  return { from, until: from + lengthOf(minute, second, fraction), hasZone }
}

function lengthOf(minute?: string, second?: string, fraction = ''): bigint {
  if (minute === undefined) return 86_400n * SECOND
  if (second === undefined) return 60n * SECOND
  return SECOND / 10n ** BigInt(fraction.length)
}
