import { isDataColumn, type RecordFilter, type RecordOrder } from '../../domain/record-query.ts'
import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Position } from '../../storage/port/record-list-store.ts'

export type ListQuery = RecordFilter & RecordOrder
export type Start = { after: Position; backwards: boolean }

/** A page's beginning as a text for the caller. It belongs to one filter and one order. */
export function writeCursor(query: ListQuery, { after, backwards }: Start): string {
  const cursor = [nameOf(query), backwards ? 1 : 0, after.value, after.record_id]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** @throws HubError `invalid_request` for a cursor that is not one of this list. */
export function readCursor(text: string, query: ListQuery): Start {
  const cursor = parseCursor(text)
  if (Array.isArray(cursor) && cursor.length === 4) {
    const [name, backwards, value, record_id] = cursor
    if (name === nameOf(query) && isValue(value, query.sort) && Number.isSafeInteger(record_id)) {
      return { after: { value, record_id }, backwards: backwards === 1 }
    }
  }
  const reason = 'the cursor is not one of this list; begin again without it'
  throw new HubError(
    'invalid_request',
    { reason },
    { errors: { cursor: ['is not one of this list'] } },
  )
}

function nameOf({ sort, descending, ...filter }: ListQuery): string {
  return sha256(JSON.stringify([sort, descending, filter])).slice(0, 10)
}

function isValue(value: unknown, sort: ListQuery['sort']): value is Position['value'] {
  if (isDataColumn(sort)) return value === null || typeof value === 'string'
  const isText = sort === 'reference_number' || sort === 'full_name'
  return isText ? typeof value === 'string' : Number.isSafeInteger(value)
}

function parseCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
