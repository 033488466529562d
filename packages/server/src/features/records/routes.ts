import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, RecordPage } from '@recordhub/protocol'
import type { RecordStore } from '../../storage/port/record-store.ts'
import { cursorAfter, ListFilters, toRecordQuery, toStoredRecord } from './list-records.ts'

/** Listing records. */
export function recordRoutes({ records }: { records: RecordStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records',
      {
        schema: {
          summary: 'List records',
          querystring: Type.Object(
            {
              ...ListFilters,
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
  }
}
