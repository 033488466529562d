/** The cursors of a list of records: where the pages beside a page begin. */
import Type from 'typebox'
import {
  isDataColumn,
  type RecordFilter,
  type RecordOrder,
} from '../../domain/record/record-query.ts'
import {
  CursorInteger,
  createCursorCodec,
  InvalidCursorError,
} from '../../lib/collections/pagination.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { truncateCodePoints } from '../../lib/text/code-points.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'
import type { Position, RecordPage, RecordQuery } from '../../storage/port/record-list-store.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'

export type ListQuery = RecordFilter & RecordOrder
export type PageStart = Pick<RecordQuery, 'after' | 'backwards'>

/** In code points. A cursor is part of a URL, and a name can be as long as a push. */
const MAX_VALUE_LENGTH = 1000

const CODEC = createCursorCodec(
  Type.Object({
    /** Identifies the filter and the order. */
    list: Type.String(),
    backwards: Type.Boolean(),
    value: Type.Union([Type.String(), CursorInteger, Type.Null()]),
    record_id: CursorInteger,
    /** Whether `value` is only the beginning of a text. */
    truncated: Type.Boolean(),
  }),
)

/** Returns the cursors of the pages beside a page; null if there is none. */
export function findCursors(
  page: RecordPage,
  { after, backwards }: PageStart,
  query: ListQuery,
): { next_cursor: string | null; previous_cursor: string | null } {
  const { first, last, stopped_at, has_more } = page
  const encode = (position: Position | null, isBackwards: boolean) =>
    position && encodePosition(query, position, isBackwards)
  const beyond = has_more ? (stopped_at ?? (backwards ? first : last)) : null
  if (after === null) return { next_cursor: encode(beyond, false), previous_cursor: null }
  // An empty page has no record. The page on its other side includes the record at which it begins.
  const returning = (backwards ? last : first) ?? neighbourOf(after, backwards === query.descending)
  return backwards
    ? { next_cursor: encode(returning, false), previous_cursor: encode(beyond, true) }
    : { next_cursor: encode(beyond, false), previous_cursor: encode(returning, true) }
}

/** Returns a position between a record and the one above or below it; records of equal value are ordered by id. */
function neighbourOf({ value, record_id }: Position, above: boolean): Position {
  return { value, record_id: above ? record_id + 1 : record_id - 1 }
}

function encodePosition(query: ListQuery, { value, record_id }: Position, backwards: boolean) {
  const short = typeof value === 'string' ? truncateCodePoints(value, MAX_VALUE_LENGTH) : value
  const truncated = short !== value
  return CODEC.encode({ list: hashOf(query), backwards, value: short, record_id, truncated })
}

/** @throws InvalidCursorError if the cursor does not belong to this list. */
export async function decodeCursor(
  records: Pick<RecordStore, 'readRecord'>,
  cursor: string,
  query: ListQuery,
): Promise<PageStart> {
  const { list, backwards, value, record_id, truncated } = CODEC.decode(cursor)
  if (list !== hashOf(query) || !isValueOf(query.sort, value)) throw new InvalidCursorError()
  if (!truncated) return { after: { value, record_id }, backwards }

  const beginning = String(value)
  const name = (await records.readRecord(record_id))?.full_name
  if (name?.startsWith(beginning)) return { after: { value: name, record_id }, backwards }
  // The record was deleted or renamed. The page may repeat records, but must not skip any.
  const isFalling = query.descending !== backwards
  const least = isFalling ? `${beginning}\u{10ffff}` : beginning
  return { after: { value: least, record_id }, backwards }
}

function hashOf({ sort, descending, ...filter }: ListQuery): string {
  return sha256(JSON.stringify([sort, descending, filter])).slice(0, 10)
}

function isValueOf(sort: ListQuery['sort'], value: Position['value']): boolean {
  if (value === null) return isDataColumn(sort)
  const isText = isDataColumn(sort) || sort === 'reference_number' || sort === 'full_name'
  return typeof value === 'string' ? isText && isStorableText(value) : !isText
}
