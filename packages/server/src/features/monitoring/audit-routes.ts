import { Readable } from 'node:stream'
import {
  AUDIT_ACTIONS,
  AuditEntry,
  type AuditGroup,
  ClosedObject,
  NullableString,
  OneOf,
  Timestamp,
} from '@recordhub/protocol'
import { type Static, Type } from 'typebox'
import { Cursor, Limit, readTime, route, special } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import { NDJSON_TYPE, toJsonLine } from '../../lib/net/ndjson.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50
const EXPORT_PAGE = 500
const EXPORT_COLUMNS = ['id', 'at', 'actor', 'action', 'target', 'address', 'details'] as const
const EXPORT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: `${NDJSON_TYPE}; charset=utf-8`,
} as const

const Text = Type.Optional(Type.String({ maxLength: 512 }))
const Time = Type.Optional(Type.Unsafe<string>({ ...Timestamp, maxLength: 100 }))
const Group = Type.Unsafe<AuditGroup>({ type: 'string', enum: Object.keys(AUDIT_ACTIONS) })
const FILTERS = {
  actor: Text,
  action: Text,
  group: Type.Optional(Group),
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

/** Reading and exporting the audit log: the actions of operators and programs. */
export function auditRoutes({ activity, clock }: Pick<FeatureDeps, 'activity' | 'clock'>) {
  return [
    route('GET /api/v1/audit', {
      summary: 'List the audit log, newest first',
      query: {
        ...FILTERS,
        limit: Limit,
        cursor: Cursor,
      },
      response: { audit: Type.Array(AuditEntry), next_cursor: NullableString },
      async handle({ query: { limit = PAGE, cursor: before = null, ...given } }) {
        const entries = await activity.listAudit({ ...filtersOf(given), limit: limit + 1, before })
        const { page, next_cursor } = paginate(entries, limit, ({ id }) => id)
        return { audit: page, next_cursor }
      },
    }),

    special('GET /api/v1/audit/export', {
      summary: 'Export the audit log as a file, newest first',
      query: ClosedObject({ ...FILTERS, format: Type.Optional(OneOf('csv', 'ndjson')) }),
      response: { 200: EXPORTED },
      // A HEAD request would read the whole audit log.
      exposeHeadRoute: false,
      async handle({ query: { format = 'csv', ...given }, requester }, reply) {
        const filters = filtersOf(given)
        const audit = { ...requester, action: 'audit.export' as const, target: null }
        await activity.appendAudit({ ...audit, details: { format, ...given } })
        const name = `audit-${clock.now().toISOString().slice(0, 10)}.${format}`
        reply.header('Content-Disposition', `attachment; filename="${name}"`)
        reply.header('Cache-Control', 'no-store').type(EXPORT_TYPES[format])
        return reply.send(Readable.from(exportAudit(activity, filters, format)))
      },
    }),
  ]
}

function filtersOf({ actor, action, group, target, from, until }: Static<typeof Filters>) {
  return {
    actor: actor ?? null,
    action: action ?? null,
    actions: group ? AUDIT_ACTIONS[group] : null,
    target: target ?? null,
    from: readTime('from', from),
    until: readTime('until', until),
  }
}

/** The audit log as the text of a file, read page by page. */
async function* exportAudit(
  activity: FeatureDeps['activity'],
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
