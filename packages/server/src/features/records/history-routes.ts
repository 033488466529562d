import {
  FieldOrigin,
  HistoryEntry,
  NullableString,
  RecordResponse,
  RequestText,
  StoredRecord,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { parseChanges } from '../../domain/record/record-history.ts'
import { HubError } from '../../errors.ts'
import { Cursor, route } from '../../http/route.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/pagination.ts'
import { toStoredRecord } from './list-records.ts'
import {
  type HistoryDeps,
  readExisting,
  readFieldProvenance,
  readRecordAfter,
  readRecordAsOf,
} from './read-history.ts'

const HISTORY_PAGE = 100

const changeSeq = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

/** A record, its earlier states, and the origin of its values. */
export function historyRoutes(deps: HistoryDeps) {
  return [
    route('GET /api/v1/records/:record_id', {
      summary: 'Read a record, now, as of a time or after one of its changes',
      query: {
        as_of: Type.Optional(
          RequestText({ description: 'RFC 3339, such as 2026-11-21T07:30:00Z' }),
        ),
        change_seq: changeSeq(
          'Instead of as_of: the number of a change of …/history. Several changes may have one time.',
        ),
      },
      response: RecordResponse.properties,
      async handle({ params: { record_id }, query: { as_of, change_seq } }) {
        if (as_of !== undefined && change_seq !== undefined) {
          throw new HubError('invalid_request', {
            reason: 'as_of and change_seq exclude each other',
          })
        }
        if (as_of !== undefined) return readRecordAsOf(deps, record_id, as_of)
        const record =
          change_seq === undefined
            ? toStoredRecord(await readExisting(deps, record_id))
            : await readRecordAfter(deps, record_id, change_seq)
        return { record }
      },
    }),

    route('GET /api/v1/records/:record_id/history', {
      summary: 'List the changes of a record, newest first',
      query: {
        cursor: Cursor,
        change_seq: changeSeq('Without changes after this one, the `change_seq` of …/fields'),
      },
      response: { history: Type.Array(HistoryEntry), next_cursor: NullableString },
      async handle({ params: { record_id }, query: { cursor, change_seq } }) {
        await readExisting(deps, record_id)
        const before = cursor ?? (change_seq === undefined ? null : change_seq + 1)
        const list = { record_id, limit: HISTORY_PAGE, maxBytes: MAX_PAGE_BYTES, before }
        const { entries, has_more } = await deps.records.listHistory(list)
        const last = entries.at(-1)
        return {
          history: entries.map((entry) => ({ ...entry, changes: parseChanges(entry.changes) })),
          next_cursor: has_more && last ? String(last.change_seq) : null,
        }
      },
    }),

    route('GET /api/v1/records/:record_id/fields', {
      summary: 'Read a record with the write that set each of its values',
      response: {
        change_seq: Type.Integer({
          description: 'The last change of the record that the response contains',
        }),
        record: StoredRecord,
        fields: Type.Array(FieldOrigin),
      },
      handle: ({ params: { record_id } }) => readFieldProvenance(deps, record_id),
    }),
  ]
}
