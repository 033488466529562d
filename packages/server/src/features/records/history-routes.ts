import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  FieldOrigin,
  HistoryEntry,
  NullableString,
  RecordResponse,
  RequestText,
  StoredRecord,
} from '@recordhub/protocol'
import { parseChanges } from '../../domain/record/record-history.ts'
import { HubError } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import { toStoredRecord } from './list-records.ts'
import {
  type HistoryDeps,
  readExisting,
  readFieldProvenance,
  readRecordAfter,
  readRecordAsOf,
} from './read-history.ts'

const RecordId = Type.Object({ record_id: Type.Integer({ minimum: 1 }) })
const HISTORY_PAGE = 100

/** A record, its earlier states, and the origin of its values. */
export function historyRoutes(deps: HistoryDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records/:record_id',
      {
        schema: {
          summary: 'Read a record, now, as of a time or after one of its changes',
          params: RecordId,
          querystring: Type.Object(
            {
              as_of: Type.Optional(
                RequestText({ description: 'RFC 3339, such as 2026-11-21T07:30:00Z' }),
              ),
              change_seq: Type.Optional(
                Type.Integer({
                  minimum: 1,
                  description:
                    'Instead of as_of: the number of a change of …/history. Several changes may have one time.',
                }),
              ),
            },
            { additionalProperties: false },
          ),
          response: { 200: RecordResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { record_id } = request.params
        const { as_of, change_seq } = request.query
        if (as_of !== undefined && change_seq !== undefined) {
          throw new HubError('invalid_request', {
            reason: 'as_of and change_seq exclude each other',
          })
        }
        if (as_of !== undefined) {
          return { success: true as const, ...(await readRecordAsOf(deps, record_id, as_of)) }
        }
        const record =
          change_seq === undefined
            ? toStoredRecord(await readExisting(deps, record_id))
            : await readRecordAfter(deps, record_id, change_seq)
        return { success: true as const, record }
      },
    )

    app.get(
      '/api/v1/records/:record_id/history',
      {
        schema: {
          summary: 'List the changes of a record, newest first',
          params: RecordId,
          querystring: Type.Object(
            {
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
              change_seq: Type.Optional(
                Type.Integer({
                  minimum: 1,
                  description: 'Without changes after this one, the `change_seq` of …/fields',
                }),
              ),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              history: Type.Array(HistoryEntry),
              next_cursor: NullableString,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { record_id } = request.params
        await readExisting(deps, record_id)
        const { cursor, change_seq } = request.query
        const before = cursor ?? (change_seq === undefined ? null : change_seq + 1)
        const query = { record_id, limit: HISTORY_PAGE, maxBytes: MAX_PAGE_BYTES, before }
        const { entries, has_more } = await deps.records.listHistory(query)
        const last = entries.at(-1)
        return {
          success: true as const,
          history: entries.map((entry) => ({ ...entry, changes: parseChanges(entry.changes) })),
          next_cursor: has_more && last ? String(last.change_seq) : null,
        }
      },
    )

    app.get(
      '/api/v1/records/:record_id/fields',
      {
        schema: {
          summary: 'Read a record with the write that set each of its values',
          params: RecordId,
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              change_seq: Type.Integer({
                description: 'The last change of the record that the response contains',
              }),
              record: StoredRecord,
              fields: Type.Array(FieldOrigin),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => ({
        success: true as const,
        ...(await readFieldProvenance(deps, request.params.record_id)),
      }),
    )
  }
}
