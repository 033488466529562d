import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AuditEntry, ErrorAnswer, NullableString, OneOf, Timestamp } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Requester } from '../../domain/activity/activity.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import { readTime } from './read-activity-filter.ts'
import { AUDIT_TYPES, writeAudit } from './write-audit.ts'

const PAGE = 50
const Word = Type.Optional(Type.String({ maxLength: 512 }))
const FILTERS = {
  actor: Word,
  action: Word,
  target: Word,
  from: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
}
const Filters = Type.Object(FILTERS)

const EXPORTED = {
  description: 'The file, named by Content-Disposition',
  content: Object.fromEntries(
    Object.values(AUDIT_TYPES).map((type) => [
      type,
      { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}

/** Reading the audit: who did what to what, when and from where. */
export function auditRoutes(parts: {
  activity: ActivityStore
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { activity, clock, requesterOf } = parts
  return async (app) => {
    app.get(
      '/api/v1/audit',
      {
        schema: {
          summary: 'List the audit, newest first',
          querystring: Type.Object(
            {
              ...FILTERS,
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
        const { limit = PAGE, cursor = null } = request.query
        const query = { ...filtersOf(request.query), limit: limit + 1, before: cursor }
        const entries = await activity.listAudit(query)
        const { page, next_cursor } = paginate(entries, limit, ({ id }) => id)
        return { success: true as const, audit: page, next_cursor }
      },
    )

    app.get(
      '/api/v1/audit/export',
      {
        // It would write the whole file to throw it away.
        exposeHeadRoute: false,
        schema: {
          summary: 'Export the audit as a file, newest first',
          querystring: Type.Object(
            { ...FILTERS, format: Type.Optional(OneOf('csv', 'ndjson')) },
            { additionalProperties: false },
          ),
          response: { 200: EXPORTED, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { format = 'csv', ...given } = request.query
        const filters = filtersOf(given)
        const audit = { ...requesterOf(request), action: 'audit.export', target: null }
        await activity.appendAudit({ ...audit, details: { format, ...given } })
        const name = `audit-${clock.now().toISOString().slice(0, 10)}.${format}`
        reply.header('Content-Disposition', `attachment; filename="${name}"`)
        reply.header('Cache-Control', 'no-store').type(AUDIT_TYPES[format])
        return reply.send(Readable.from(writeAudit(activity, filters, format)))
      },
    )
  }
}

function filtersOf({ actor, action, target, from, until }: FiltersOf) {
  return {
    actor: actor ?? null,
    action: action ?? null,
    target: target ?? null,
    from: readTime('from', from),
    until: readTime('until', until),
  }
}

type FiltersOf = Static<typeof Filters>
