/** The cursors of a list of records: the positions at which the next and the previous page begin. */
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

/** Maximum length of a value, in code points. A cursor is part of a URL, and a name can be as long as a push. */
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

/** Returns the cursors of the next and the previous page; null for a page that does not exist. */
export function findCursors(
  page: RecordPage,
  { after, backwards }: PageStart,
  query: ListQuery,
): { next_cursor: string | null; previous_cursor: string | null } {
  const { first, last, stopped_at, has_more } = page
  const encode = (position: Position | null, isBackwards: boolean) =>
    position && encodePosition(query, position, isBackwards)
  const ahead = has_more ? (stopped_at ?? (backwards ? first : last)) : null
  if (after === null) return { next_cursor: encode(ahead, false), previous_cursor: null }
  // An empty page has no positions. The page in the other direction then includes the record of `after`.
  const behind = (backwards ? last : first) ?? neighbourOf(after, backwards === query.descending)
  return backwards
    ? { next_cursor: encode(behind, false), previous_cursor: encode(ahead, true) }
    : { next_cursor: encode(ahead, false), previous_cursor: encode(behind, true) }
}

/** Returns a position directly above or below a record; records of equal value are ordered by id. */
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
  const isDescending = query.descending !== backwards
  const start = isDescending ? `${beginning}\u{10ffff}` : beginning
  return { after: { value: start, record_id }, backwards }
}

function hashOf({ sort, descending, ...filter }: ListQuery): string {
  return sha256(JSON.stringify([sort, descending, filter])).slice(0, 10)
}

function isValueOf(sort: ListQuery['sort'], value: Position['value']): boolean {
  if (value === null) return isDataColumn(sort)
  const isText = isDataColumn(sort) || sort === 'reference_number' || sort === 'full_name'
  return typeof value === 'string' ? isText && isStorableText(value) : !isText
}
