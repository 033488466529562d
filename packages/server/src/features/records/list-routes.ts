import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, RECORD_SORTS, RecordPage } from '@recordhub/protocol'
import { TESTS } from '../../domain/record-query.ts'
import type { RecordListStore } from '../../storage/port/record-list-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import { listRecords } from './list-records.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const YES_OR_NO = 'true or false'

/** The list of records. */
export function recordListRoutes(parts: {
  records: RecordListStore
  searchIndex: SearchIndexStore
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/records',
      {
        schema: {
          summary: 'List, search, filter and sort records',
          description: `Filters by fields: \`filter[<key>]=<value>\` for equality, or \`filter[<key>][<test>]=<value>\` with one of ${TESTS.join(', ')}; see docs/records-api.md.`,
          querystring: Type.Object(
            {
              platform: text('The platform_name'),
              record_type: text('The record_type of a module'),
              reference_number: text('The whole reference number'),
              q: text('Words, or phrases in quotes, that must all be in name, reference or values'),
              incomplete: text(YES_OR_NO),
              missing: text(YES_OR_NO),
              changed_since: text('RFC 3339: changed at this time or later'),
              sort: text(`${RECORD_SORTS.join(', ')} or data.<key>; - before it turns it round`),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: text('next_cursor or previous_cursor of a page of the same list'),
            },
            // Filters; what else comes is refused by its name.
            { additionalProperties: Type.String() },
          ),
          response: { 200: RecordPage, '4xx': ErrorAnswer },
        },
      },
      (request) => listRecords(parts, request.query),
    )
  }
}
