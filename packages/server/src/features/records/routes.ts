import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, HistoryEntry, NullableString, StoredRecord } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { isJsonObject, parseExact } from '../../lib/exact-json.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'
import { toStoredRecord } from './list-records.ts'

const RecordId = Type.Object({ record_id: Type.Integer({ minimum: 1 }) })
const HISTORY_PAGE = 100

/** Reading records. */
export function recordRoutes({ records }: { records: RecordStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
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
