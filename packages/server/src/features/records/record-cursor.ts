import {
  isDataColumn,
  type RecordFilter,
  type RecordOrder,
} from '../../domain/record/record-query.ts'
import { cursorInvalid } from '../../lib/collections/pagination.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { truncateCodePoints } from '../../lib/text/code-points.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'
import type { Position } from '../../storage/port/record-list-store.ts'

export type ListQuery = RecordFilter & RecordOrder
/** `isCut`: of a long text the place has only the beginning. */
export type Start = { after: Position; backwards: boolean; isCut: boolean }

/** In code points: a cursor goes into a URL, and a name may be as long as a push. */
const MAX_TEXT = 1000

/** A page's beginning as a text for the caller. It belongs to one filter and one order. */
export function writeCursor(query: ListQuery, { after, backwards }: Omit<Start, 'isCut'>): string {
  const { value, record_id } = after
  const beginning = typeof value === 'string' ? truncateCodePoints(value, MAX_TEXT) : value
  const isCut = beginning !== value
  const cursor = [nameOf(query), backwards ? 1 : 0, beginning, record_id, isCut ? 1 : 0]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** @throws HubError `invalid_request` for a cursor that does not belong to this list. */
export function readCursor(text: string, query: ListQuery): Start {
  const cursor = parseCursor(text)
  if (Array.isArray(cursor) && cursor.length === 5) {
    const [name, backwards, value, record_id, isCut] = cursor
    if (name === nameOf(query) && isValue(value, query.sort) && Number.isSafeInteger(record_id)) {
      return { after: { value, record_id }, backwards: backwards === 1, isCut: isCut === 1 }
    }
  }
  throw cursorInvalid()
}

function nameOf({ sort, descending, ...filter }: ListQuery): string {
  return sha256(JSON.stringify([sort, descending, filter])).slice(0, 10)
}

function isValue(value: unknown, sort: ListQuery['sort']): value is Position['value'] {
  const isText = typeof value === 'string' && isStorableText(value)
  if (isDataColumn(sort)) return value === null || isText
  return sort === 'reference_number' || sort === 'full_name' ? isText : Number.isSafeInteger(value)
}

function parseCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
