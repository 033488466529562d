import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ActivityFilter, ActivityPage, ErrorResponse } from '@recordhub/protocol'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import { readActivityFilter } from './read-activity-filter.ts'

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
