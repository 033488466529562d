import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AuditEntry, ErrorAnswer, NullableString, Timestamp } from '@recordhub/protocol'
import type { ActivityStore } from '../../storage/port/activity-store.ts'

const PAGE = 50
const Word = Type.Optional(Type.String({ maxLength: 512 }))

/** Reading the audit: who did what to what, when and from where. */
export function auditRoutes(parts: { activity: ActivityStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/audit',
      {
        schema: {
          summary: 'List the audit, newest first',
          querystring: Type.Object(
            {
              actor: Word,
              action: Word,
              target: Word,
              from: Type.Optional(Timestamp),
              until: Type.Optional(Timestamp),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              audit: Type.Array(AuditEntry),
              next_cursor: NullableString,
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const { actor = null, action = null, target = null, from, until } = request.query
        const { limit = PAGE, cursor = null } = request.query
        const entries = await parts.activity.listAudit({
          actor,
          action,
          target,
          // Instants are stored in one form, by which they compare as text.
          from: from === undefined ? null : new Date(from).toISOString(),
          until: until === undefined ? null : new Date(until).toISOString(),
          limit: limit + 1,
          before: cursor,
        })
        const page = entries.slice(0, limit)
        const last = page.at(-1)
        return {
          success: true as const,
          audit: page,
          next_cursor: entries.length > page.length && last ? String(last.id) : null,
        }
      },
    )
  }
}
