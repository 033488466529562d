/** The kinds of columns, and how their values become JSON. */
import {
  findUnsafeJson,
  type JsonValue,
  parseLossless,
  parseNumber,
} from '@recordhub/protocol/lossless-json'

export type Kind =
  /** Sent unchanged. */
  | 'any'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  /** A date and time without a time zone. */
  | 'datetime'
  /** A point in time, in UTC. */
  | 'instant'
  | 'json'
  /** Never sent. */
  | 'binary'

/** A value from a source; databases return text where possible. */
export type Cell = JsonValue | bigint | Uint8Array

/** The types that the settings and the manifest use. */
export const FIELD_TYPES = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  json: 'json',
} as const satisfies Record<string, Kind>

export type FieldType = keyof typeof FIELD_TYPES

export function fieldTypeOf(kind: Kind): FieldType {
  if (kind === 'instant') return 'datetime'
  return kind === 'any' || kind === 'text' || kind === 'binary' ? 'string' : kind
}

/** The record, its `data` and the value of a column are the first levels. */
const MAX_JSON_LEVELS = 60

/** Converts a value; one that does not match the kind is sent unchanged as text, so that nothing is lost. */
export function toJson(cell: Cell, kind: Kind): JsonValue {
  if (cell === null || cell instanceof Uint8Array) return null
  if (kind === 'text') return textOf(cell)
  if (kind === 'boolean') return toBoolean(cell)
  if (typeof cell === 'bigint') return parseNumber(String(cell))
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell)
  if (typeof cell !== 'string') return cell
  if (kind === 'number') return parseNumber(cell) ?? cell
  if (kind === 'date' || kind === 'datetime' || kind === 'instant') return toIso(cell, kind)
  return kind === 'json' ? readJson(cell) : cell
}

const ISO_DAY = /^\d{4}-\d\d-\d\d$/
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/

/** Whether a value matches the kind of its column. {@link toJson} sends other values unchanged. */
export function isReadable(cell: Cell, kind: Kind): boolean {
  const value = toJson(cell, kind)
  if (value === null || kind === 'any' || kind === 'text' || kind === 'binary') return true
  if (kind === 'json') return typeof cell !== 'string' || value !== cell
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'number') return typeof value === 'number' || JSON.isRawJSON(value)
  if (typeof value !== 'string') return false
  const isDay = ISO_DAY.test(value) && isOnCalendar(value)
  return kind === 'date' ? isDay : isDay || (ISO_TIME.test(value) && isOnCalendar(value))
}

function isOnCalendar(text: string): boolean {
  const day = text.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/** A value as text, for names and references; null for null and binary values. */
export function textOf(cell: Cell): string | null {
  if (cell === null || cell instanceof Uint8Array) return null
  if (typeof cell === 'string') return cell
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

const TRUE = new Set(['t', 'true', '1'])
const FALSE = new Set(['f', 'false', '0'])

function toBoolean(cell: Exclude<Cell, null | Uint8Array>): JsonValue {
  const text = String(cell).toLowerCase()
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  return typeof cell === 'bigint' ? parseNumber(text) : cell
}

const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\+00(?::?00)?)?$/

function toIso(text: string, kind: 'date' | 'datetime' | 'instant'): string | null {
  // MySQL's representation of no date.
  if (text.startsWith('0000-00-00')) return null
  const [, day, time] = DATE_AND_TIME.exec(text) ?? []
  if (kind === 'date' || day === undefined) return text
  return kind === 'instant' ? `${day}T${time}Z` : `${day}T${time}`
}

/** JSON that the hub rejects is sent as text, so that one value does not affect the others. */
function readJson(text: string): JsonValue {
  try {
    const value = parseLossless(text)
    return findUnsafeJson(value, MAX_JSON_LEVELS) === null ? value : text
  } catch {
    return text
  }
}

const ACRONYMS = new Set(['id', 'url', 'vat', 'iban', 'uuid', 'ip'])

/** Turns the name of a column or table into a label: `birth_date`, `birthDate` → "Birth date". */
export function toLabel(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  const text = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(' ')
  return text === '' ? name : text.charAt(0).toUpperCase() + text.slice(1)
}

const MAX_LABEL_LENGTH = 80

/** The first line of a comment; null if it is empty, or too long for a heading. */
export function labelFromComment(comment: string | null): string | null {
  const line = (comment ?? '').split('\n')[0]?.trim() ?? ''
  return line === '' || line.length > MAX_LABEL_LENGTH ? null : line
}

/** Formats a count with its noun: `1 record`, `2 records`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
