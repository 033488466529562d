import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { AuditEntry, ErrorResponse, NullableString, OneOf, Timestamp } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Requester } from '../../domain/activity/activity.ts'
import { requireMember } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import { NDJSON_TYPE, toJsonLine } from '../../lib/net/ndjson.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'

const PAGE = 50
const EXPORT_PAGE = 500
const EXPORT_COLUMNS = ['id', 'at', 'actor', 'action', 'target', 'address', 'details'] as const
const EXPORT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: `${NDJSON_TYPE}; charset=utf-8`,
} as const

const Text = Type.Optional(Type.String({ maxLength: 512 }))
const Time = Type.Optional(Type.Unsafe<string>({ ...Timestamp, maxLength: 100 }))
const FILTERS = {
  actor: Text,
  action: Text,
  target: Text,
  from: Time,
  until: Time,
}
const Filters = Type.Object(FILTERS)

const EXPORTED = {
  description: 'The file, named by Content-Disposition',
  content: Object.fromEntries(
    Object.values(EXPORT_TYPES).map((type) => [
      type,
      { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
    ]),
  ),
}

export type RequesterOf = (request: FastifyRequest) => Requester

/** Reading and exporting the audit log: the actions of operators and programs. */
export function auditRoutes(deps: {
  activity: ActivityStore
  clock: Clock
  requesterOf: RequesterOf
}): FastifyPluginAsyncTypebox {
  const { activity, clock, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/audit',
      {
        schema: {
          summary: 'List the audit log, newest first',
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
            '4xx': ErrorResponse,
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
        // A HEAD request would read the whole audit log.
        exposeHeadRoute: false,
        schema: {
          summary: 'Export the audit log as a file, newest first',
          querystring: Type.Object(
            { ...FILTERS, format: Type.Optional(OneOf('csv', 'ndjson')) },
            { additionalProperties: false },
          ),
          response: { 200: EXPORTED, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { format = 'csv', ...given } = request.query
        const filters = filtersOf(given)
        const audit = { ...requesterOf(request), action: 'audit.export', target: null }
        await activity.appendAudit({ ...audit, details: { format, ...given } })
        const name = `audit-${clock.now().toISOString().slice(0, 10)}.${format}`
        reply.header('Content-Disposition', `attachment; filename="${name}"`)
        reply.header('Cache-Control', 'no-store').type(EXPORT_TYPES[format])
        return reply.send(Readable.from(exportAudit(activity, filters, format)))
      },
    )
  }
}

function filtersOf({ actor, action, target, from, until }: Static<typeof Filters>) {
  return {
    actor: actor ?? null,
    action: action ?? null,
    target: target ?? null,
    from: from === undefined ? null : requireMember(parseTimestamp(from), 'from', TIMESTAMP_RULE),
    until:
      until === undefined ? null : requireMember(parseTimestamp(until), 'until', TIMESTAMP_RULE),
  }
}

/** The audit log as the text of a file, read page by page. */
async function* exportAudit(
  activity: Pick<ActivityStore, 'listAudit'>,
  filters: ReturnType<typeof filtersOf>,
  format: keyof typeof EXPORT_TYPES,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(EXPORT_COLUMNS)
  const write = format === 'csv' ? toCsv : toJsonLine
  let before: number | null = null
  do {
    const page: AuditEntry[] = await activity.listAudit({ ...filters, limit: EXPORT_PAGE, before })
    if (page.length > 0) yield page.map(write).join('')
    before = page.length === EXPORT_PAGE ? (page.at(-1)?.id ?? null) : null
  } while (before !== null)
}

function toCsv(entry: AuditEntry): string {
  const cells = EXPORT_COLUMNS.map((column) => {
    const value = entry[column]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  })
  return csvLine(cells.map(escapeFormula))
}
