import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ChangesResponse,
  ErrorResponse,
  type RecordChangeLine,
  RequestText,
} from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import type { ChangeRow, ChangeStore } from '../../storage/port/change-store.ts'
import { toStoredRecord } from './list-records.ts'

const DEFAULT_LIMIT = 100

/** The feed of changes, which programs follow to maintain a copy of the records. */
export function changeRoutes({ changes }: { changes: ChangeStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/changes',
      {
        schema: {
          summary: 'Follow changes: each record once, in the order of its newest change',
          description:
            'Start without `since` to read every record once, then pass `next_cursor` as `since` in each following request. A page of large records has fewer than `limit` entries; `has_more` tells whether more follow. The feed neither skips nor repeats a change. Replace your copy of the `record_id` if the record was created or updated, and delete it if the record was deleted.',
          querystring: Type.Object(
            {
              since: Type.Optional(Type.Integer({ minimum: 0 })),
              platform: Type.Optional(RequestText()),
              record_type: Type.Optional(RequestText()),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: ChangesResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { since = 0, platform, record_type, limit = DEFAULT_LIMIT } = request.query
        const page = await changes.listChanges({
          platform: platform ?? null,
          record_type: record_type ?? null,
          after: since,
          limit,
          maxBytes: MAX_PAGE_BYTES,
        })
        if (page.outcome === 'beyond') throw new HubError('cursor_beyond')
        return {
          success: true as const,
          changes: page.changes.map(toLine),
          next_cursor: String(page.through),
          has_more: page.has_more,
        }
      },
    )
  }
}

function toLine(row: ChangeRow): RecordChangeLine {
  const line = { cursor: String(row.change_seq), change: row.change, at: row.at }
  if (row.change === 'deleted') {
    const { record_id, platform_name, record_type } = row
    return { ...line, record_id, platform_name, record_type }
  }
  const record = toStoredRecord(row.record)
  const { record_id, platform_name, record_type } = record
  return { ...line, record_id, platform_name, record_type, record }
}
