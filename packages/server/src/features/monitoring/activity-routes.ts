import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ActivityFilter, ActivityPage, ErrorResponse } from '@recordhub/protocol'
import { requireMember } from '../../errors.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type {
  ActivityStore,
  ActivityFilter as StoredFilter,
} from '../../storage/port/activity-store.ts'

const PAGE = 50

export function activityRoutes(deps: { activity: ActivityStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/activity',
      {
        schema: {
          summary: 'List the activity, newest first',
          querystring: Type.Object(
            {
              ...ActivityFilter.properties,
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: ActivityPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { limit = PAGE, cursor = null, ...filter } = request.query
        const query = { ...readActivityFilter(filter), limit, before: cursor }
        const { entries, next, complete } = await deps.activity.listActivity(query)
        const next_cursor = next === null ? null : String(next)
        return { success: true as const, activity: entries, next_cursor, complete }
      },
    )
  }
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
