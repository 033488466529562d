import { ActivityFilter, ActivityPage } from '@recordhub/protocol'
import { Type } from 'typebox'
import { requireMember } from '../../errors.ts'
import { Cursor, route } from '../../http/route.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type { ActivityFilter as StoredFilter } from '../../storage/port/activity-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50

export function activityRoutes(deps: Pick<FeatureDeps, 'activity'>) {
  return [
    route('GET /api/v1/activity', {
      summary: 'List the activity, newest first',
      query: {
        ...ActivityFilter.properties,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
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
    since:
      since === undefined ? null : requireMember(parseTimestamp(since), 'since', TIMESTAMP_RULE),
    until:
      until === undefined ? null : requireMember(parseTimestamp(until), 'until', TIMESTAMP_RULE),
  }
}
