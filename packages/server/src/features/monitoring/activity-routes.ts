import { ActivityFilter, ActivityPage } from '@recordhub/protocol'
import { Cursor, Limit, readTime, route } from '../../http/route.ts'
import type { ActivityFilter as StoredFilter } from '../../storage/port/activity-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50

export function activityRoutes(deps: Pick<FeatureDeps, 'activity'>) {
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
        const { entries, next, complete } = await deps.activity.listActivity(query)
        return { activity: entries, next_cursor: next === null ? null : String(next), complete }
      },
    }),
  ]
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
