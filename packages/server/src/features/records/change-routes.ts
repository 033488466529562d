import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ChangesAnswer, ErrorAnswer, type RecordChangeLine } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import type { ChangeRow, ChangeStore } from '../../storage/port/change-store.ts'
import { toStoredRecord } from './list-records.ts'

const DEFAULT_LIMIT = 100

/** The feed that programs follow to keep a copy of the records. */
export function changeRoutes({ changes }: { changes: ChangeStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/changes',
      {
        schema: {
          summary: 'Follow what changes: each record at its newest change, in order',
          description:
            'Begin without `since`, which gives every record once; then give `next_cursor` as `since`, for ever. A page of large records holds fewer than `limit`; `has_more` says whether there are more. Nothing is missed and nothing comes twice. Put a record that is created or updated in the place of what you have under its `record_id`; take one away that is deleted.',
          querystring: Type.Object(
            {
              since: Type.Optional(Type.Integer({ minimum: 0 })),
              platform: Type.Optional(Type.String()),
              record_type: Type.Optional(Type.String()),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: ChangesAnswer, '4xx': ErrorAnswer },
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
