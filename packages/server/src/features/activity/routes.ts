import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ActivityLevel,
  ActivityLine,
  ErrorAnswer,
  NullableString,
  RejectedPush,
} from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { RejectedPushStore } from '../../storage/port/rejected-push-store.ts'

const PAGE = 50
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500 }))

/** Reading the activity and what was refused. */
export function activityRoutes(parts: {
  activity: ActivityStore
  rejectedPushes: RejectedPushStore
}): FastifyPluginAsyncTypebox {
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

    app.get(
      '/api/v1/rejected-pushes',
      {
        schema: {
          summary: 'List pushes and pulled records that were refused, newest first',
          querystring: Type.Object(
            {
              platform: Type.Optional(Type.String()),
              code: Type.Optional(Type.String()),
              pull: Type.Optional(
                Type.Integer({ minimum: 1, description: 'The pull that met them last' }),
              ),
              limit,
              cursor: Type.Optional(Type.String()),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              rejected_pushes: Type.Array(RejectedPush),
              next_cursor: NullableString,
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const { platform = null, code = null, pull = null, limit = PAGE, cursor } = request.query
        const before = cursor === undefined ? null : readCursor(cursor)
        const query = { platform, code, pull_id: pull, limit: limit + 1, before }
        const rejected = await parts.rejectedPushes.listRejectedPushes(query)
        const page = rejected.slice(0, limit)
        const last = page.at(-1)
        return {
          success: true as const,
          rejected_pushes: page,
          next_cursor: rejected.length > page.length && last ? `${last.at}_${last.id}` : null,
        }
      },
    )
  }
}

function readCursor(text: string): { at: string; id: number } {
  const match = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z)_(\d{1,15})$/.exec(text)
  if (!match) {
    const reason = 'the cursor is not one of this list; begin again without it'
    throw new HubError('invalid_request', { reason })
  }
  return { at: match[1] ?? '', id: Number(match[2]) }
}
