import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, RecordPage } from '@recordhub/protocol'
import type { RecordStore } from '../../storage/port/record-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import { FIELD_FILTERS, ListFilters } from './list-query.ts'
import { listRecords } from './list-records.ts'

export function recordListRoutes(deps: {
  records: Pick<RecordStore, 'listRecords' | 'readRecord'>
  searchIndex: SearchIndexStore
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records',
      {
        schema: {
          summary: 'List, search, filter and sort records',
          description: FIELD_FILTERS,
          querystring: Type.Object(
            {
              ...ListFilters,
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(
                Type.String({
                  description: 'next_cursor or previous_cursor of a page of the same list',
                }),
              ),
            },
            // Filters. `parseRecordQuery` rejects unknown parameters.
            { additionalProperties: Type.String() },
          ),
          response: { 200: RecordPage, '4xx': ErrorResponse },
        },
      },
      (request) => {
        const { limit, cursor, ...parameters } = request.query
        return listRecords(deps, { parameters, limit, cursor })
      },
    )
  }
}
