import { type ActivityEntry, ActivityFilter, ActivityPage, ClosedObject } from '@recordhub/protocol'
import { Type } from 'typebox'
import { Cursor, Limit, readTime, route, special } from '../../http/route.ts'
import type { ActivityFilter as StoredFilter } from '../../storage/port/activity-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { EXPORT_PAGE, ExportedLog, LogFormat, sendLog } from './log-export.ts'

const PAGE = 50
const COLUMNS = [
  ...(['id', 'at', 'level', 'kind', 'platform_name', 'record_id', 'actor'] as const),
  ...(['message', 'details'] as const),
] as const

/** Reading and exporting the activity: what the hub, its operators and the platforms did. */
export function activityRoutes({ activity, clock }: Pick<FeatureDeps, 'activity' | 'clock'>) {
  return [
    route('GET /api/v1/activity', {
      summary: 'List the activity, newest first',
      query: {
        ...ActivityFilter.properties,
        limit: Limit,
        cursor: Cursor,
      },
      response: ActivityPage.properties,
      async handle({ query: { limit = PAGE, cursor: before = null, ...filter } }) {
        const query = { ...readActivityFilter(filter), limit, before }
        const { entries, next, complete } = await activity.listActivity(query)
        return { activity: entries, next_cursor: next === null ? null : String(next), complete }
      },
    }),

    special('GET /api/v1/activity/export', {
      summary: 'Export the activity as a file, newest first',
      query: ClosedObject({ ...ActivityFilter.properties, format: Type.Optional(LogFormat) }),
      response: { 200: ExportedLog },
      // A HEAD request would read the whole activity.
      exposeHeadRoute: false,
      async handle({ query: { format = 'csv', ...filter }, requester }, reply) {
        const pages = readPages(activity, readActivityFilter(filter))
        const audit = { ...requester, action: 'activity.export' as const, target: null }
        await activity.appendAudit({ ...audit, details: { format, ...filter } })
        return sendLog(reply, {
          name: 'activity',
          at: clock.now(),
          format,
          columns: COLUMNS,
          pages,
        })
      },
    }),
  ]
}

/** Goes on where a page has ended because its search took too long. */
async function* readPages(
  activity: FeatureDeps['activity'],
  filter: StoredFilter,
): AsyncGenerator<ActivityEntry[]> {
  let before: number | null = null
  do {
    const page = await activity.listActivity({ ...filter, limit: EXPORT_PAGE, before })
    yield page.entries
    before = page.next
  } while (before !== null)
}

/** @throws HubError `invalid_request` for an invalid time. */
function readActivityFilter(given: ActivityFilter): StoredFilter {
  const { record, q = '', since, until, ...filter } = given
  return {
    ...filter,
    record_id: record ?? null,
    terms: q.split(/\s+/).filter((word) => word !== ''),
    since: readTime('since', since),
    until: readTime('until', until),
  }
}
