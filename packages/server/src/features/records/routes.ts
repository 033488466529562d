import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorAnswer,
  HistoryEntry,
  NullableString,
  RecordPage,
  StoredRecord,
} from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { isJsonObject, parseExact } from '../../lib/exact-json.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'
import { cursorAfter, toRecordQuery, toStoredRecord } from './list-records.ts'

const RecordId = Type.Object({ record_id: Type.Integer({ minimum: 1 }) })
const HISTORY_PAGE = 100

/** Reading records. */
export function recordRoutes({ records }: { records: RecordStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records',
      {
        schema: {
          summary: 'List records',
          querystring: Type.Object(
            {
              platform: Type.Optional(Type.String()),
              record_type: Type.Optional(Type.String()),
              reference_number: Type.Optional(Type.String()),
              sort: Type.Optional(Type.String()),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(Type.String()),
            },
            { additionalProperties: false },
          ),
          response: { 200: RecordPage, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const query = toRecordQuery(request.query)
        const rows = await records.listRecords({ ...query, limit: query.limit + 1 })
        const page = rows.slice(0, query.limit)
        const last = page.at(-1)
        const { platform, record_type } = query
        return {
          success: true as const,
          records: page.map(toStoredRecord),
          next_cursor: rows.length > page.length && last ? cursorAfter(last, query) : null,
          estimated_total:
            query.reference_number === null
              ? await records.countRecords({ platform, record_type })
              : page.length,
        }
      },
    )

    app.get(
      '/api/v1/records/:record_id',
      {
        schema: {
          summary: 'Read a record',
          params: RecordId,
          response: {
            200: Type.Object({ success: Type.Literal(true), record: StoredRecord }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const row = await records.readRecord(request.params.record_id)
        if (!row) throw new HubError('not_found', { what: 'record' })
        return { success: true as const, record: toStoredRecord(row) }
      },
    )

    app.get(
      '/api/v1/records/:record_id/history',
      {
        schema: {
          summary: 'List the changes of a record, newest first',
          params: RecordId,
          querystring: Type.Object(
            { cursor: Type.Optional(Type.Integer({ minimum: 1 })) },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              history: Type.Array(HistoryEntry),
              next_cursor: NullableString,
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const { record_id } = request.params
        if (!(await records.readRecord(record_id))) {
          throw new HubError('not_found', { what: 'record' })
        }
        const before = request.query.cursor ?? null
        const rows = await records.listHistory({ record_id, limit: HISTORY_PAGE + 1, before })
        const page = rows.slice(0, HISTORY_PAGE)
        const last = page.at(-1)
        return {
          success: true as const,
          history: page.map(({ changes, change_seq: _, ...entry }) => ({
            ...entry,
            changes: parseChanges(changes),
          })),
          next_cursor: rows.length > page.length && last ? String(last.change_seq) : null,
        }
      },
    )
  }
}

function parseChanges(text: string): HistoryEntry['changes'] {
  const changes = parseExact(text)
  if (!Array.isArray(changes)) throw new Error('A stored history entry is no list')
  return changes
    .filter(isJsonObject)
    .map(({ path, ...sides }) => ({ path: String(path), ...sides }))
}
