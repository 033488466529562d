import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ActivityLevel, ActivityLine, ErrorAnswer, NullableString } from '@recordhub/protocol'
import type { ActivityStore } from '../../storage/port/activity-store.ts'

const PAGE = 50
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500 }))

/** Reading the activity. */
export function activityRoutes(parts: { activity: ActivityStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/activity',
      {
        schema: {
          summary: 'List the activity, newest first',
          querystring: Type.Object(
            {
              platform: Type.Optional(Type.String()),
              level: Type.Optional(ActivityLevel),
              limit,
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              activity: Type.Array(ActivityLine),
              next_cursor: NullableString,
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const { platform = null, level = null, limit = PAGE, cursor = null } = request.query
        const query = { platform, level, limit: limit + 1, before: cursor }
        const lines = await parts.activity.listActivity(query)
        const page = lines.slice(0, limit)
        const last = page.at(-1)
        return {
          success: true as const,
          activity: page,
          next_cursor: lines.length > page.length && last ? String(last.id) : null,
        }
      },
    )
  }
}
