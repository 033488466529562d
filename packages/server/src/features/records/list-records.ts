import type { RecordSort, StoredRecord } from '@recordhub/protocol'
import Type from 'typebox'
import { HubError } from '../../errors.ts'
import { isJsonObject, parseExact } from '../../lib/exact-json.ts'
import type { RecordQuery, RecordRow } from '../../storage/port/record-store.ts'

/** What narrows and orders records in a query string. */
export const ListFilters = {
  platform: Type.Optional(Type.String()),
  record_type: Type.Optional(Type.String()),
  reference_number: Type.Optional(Type.String()),
  sort: Type.Optional(Type.String()),
}

/** What a caller asks of the list of records. */
export type RecordListRequest = {
  platform?: string
  record_type?: string
  reference_number?: string
  sort?: string
  limit?: number
  cursor?: string
}

const DEFAULT_SORT = '-updated_at'
const DEFAULT_LIMIT = 50

/** @throws HubError `invalid_request` for a sort or a cursor that does not fit. */
export function toRecordQuery(request: RecordListRequest): RecordQuery {
  const sortText = request.sort ?? DEFAULT_SORT
  const descending = sortText.startsWith('-')
  const sort = toSort(sortText.replace(/^-/, ''))
  return {
    platform: request.platform ?? null,
    record_type: request.record_type ?? null,
    reference_number: request.reference_number ?? null,
    sort,
    descending,
    limit: request.limit ?? DEFAULT_LIMIT,
    after: request.cursor === undefined ? null : readCursor(request.cursor, sortText),
  }
}

/** The cursor of the page that follows a row. It belongs to one sort. */
export function cursorAfter(row: RecordRow, query: RecordQuery): string {
  const sortText = `${query.descending ? '-' : ''}${query.sort}`
  const cursor = [sortText, sortValueOf(row, query.sort), row.record_id]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

export function toStoredRecord(row: RecordRow): StoredRecord {
  const { data, change_seq: _, ...record } = row
  const parsed = parseExact(data)
  if (!isJsonObject(parsed)) throw new Error('The data of a stored record is no JSON object')
  return { ...record, data: parsed }
}

/** Where the page after a row begins. */
export function placeAfter(row: RecordRow, sort: RecordSort): NonNullable<RecordQuery['after']> {
  return { value: sortValueOf(row, sort), record_id: row.record_id }
}

function sortValueOf(row: RecordRow, sort: RecordSort): string | number {
  if (sort === 'reference_number' || sort === 'full_name') return row[sort]
  return sort === 'updated_at' ? row.change_seq : row.record_id
}

function toSort(name: string): RecordSort {
  switch (name) {
    case 'record_id':
    case 'reference_number':
    case 'full_name':
    case 'created_at':
    case 'updated_at':
      return name
    default: {
      const reason = `sort must be one of record_id, reference_number, full_name, created_at, updated_at, with - before it for descending`
      throw new HubError('invalid_request', { reason })
    }
  }
}

function readCursor(text: string, sortText: string): RecordQuery['after'] {
  const cursor = parseCursor(text)
  if (Array.isArray(cursor)) {
    const [sort, value, recordId] = cursor
    const isText = /^-?(reference_number|full_name)$/.test(sortText)
    const isValue = isText ? typeof value === 'string' : Number.isSafeInteger(value)
    if (sort === sortText && isValue && Number.isSafeInteger(recordId)) {
      return { value, record_id: recordId }
    }
  }
  const reason = 'the cursor is not one of this list; begin again without it'
  throw new HubError('invalid_request', { reason })
}

function parseCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
