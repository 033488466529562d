import {
  AUDIT_ACTIONS,
  AuditEntry,
  type AuditGroup,
  ClosedObject,
  NullableString,
  Timestamp,
} from '@recordhub/protocol'
import { type Static, Type } from 'typebox'
import { Cursor, Limit, readTime, route, special } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { EXPORT_PAGE, ExportedLog, LogFormat, sendLog } from './log-export.ts'

const PAGE = 50
const COLUMNS = ['id', 'at', 'actor', 'action', 'target', 'address', 'details'] as const

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
      query: ClosedObject({ ...FILTERS, format: Type.Optional(LogFormat) }),
      response: { 200: ExportedLog },
      // A HEAD request would read the whole audit log.
      exposeHeadRoute: false,
      async handle({ query: { format = 'csv', ...given }, requester }, reply) {
        const filters = filtersOf(given)
        const audit = { ...requester, action: 'audit.export' as const, target: null }
        await activity.appendAudit({ ...audit, details: { format, ...given } })
        const pages = readPages(activity, filters)
        return sendLog(reply, { name: 'audit', at: clock.now(), format, columns: COLUMNS, pages })
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

async function* readPages(
  activity: FeatureDeps['activity'],
  filters: ReturnType<typeof filtersOf>,
): AsyncGenerator<AuditEntry[]> {
  let before: number | null = null
  do {
    const page: AuditEntry[] = await activity.listAudit({ ...filters, limit: EXPORT_PAGE, before })
    yield page
    before = page.length === EXPORT_PAGE ? (page.at(-1)?.id ?? null) : null
  } while (before !== null)
}
