import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  type PushError,
  PushErrorPage,
  PushErrorReason,
  RequestText,
} from '@recordhub/protocol'
import { matchSource, type PushSource } from '../../domain/activity/push-errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { PushErrorStore, StoredPushError } from '../../storage/port/push-error-store.ts'

const PAGE = 50

/** Lists the counts of requests that the receiver rejected without storing them. */
export function pushErrorRoutes(deps: {
  pushErrors: Pick<PushErrorStore, 'listPushErrors' | 'listPushSources'>
}): FastifyPluginAsyncTypebox {
  const { pushErrors } = deps
  return async (app) => {
    app.get(
      '/api/v1/push-errors',
      {
        schema: {
          summary:
            'List pushes with an invalid key or an unreadable body, counted by hour and sender, newest first',
          querystring: Type.Object(
            {
              platform: Type.Optional(
                RequestText({ description: 'The platform_name of the likely sender' }),
              ),
              reason: Type.Optional(PushErrorReason),
              request_id: Type.Optional(
                RequestText({ description: 'The last of the requests that are counted' }),
              ),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: PushErrorPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { platform, reason = null, request_id = null } = request.query
        const { limit = PAGE, cursor = null } = request.query
        const sources = await pushErrors.listPushSources()
        const source = sources.find(({ platform_name }) => platform_name === platform) ?? null
        const isUnknown = platform !== undefined && source === null
        const query = { reason, source, request_id, limit: limit + 1, before: cursor }
        const found = isUnknown ? [] : await pushErrors.listPushErrors(query)
        const { page, next_cursor } = paginate(found, limit, (one) => one.push_error_id)
        const push_errors = page.map((one) => toPushError(one, sources))
        return { success: true as const, push_errors, next_cursor }
      },
    )
  }
}

function toPushError(
  { push_error_id, hour, platform_id, key_hint, address, ...count }: StoredPushError,
  sources: PushSource[],
): PushError {
  const sender = { platform_id, key_hint, address }
  return {
    ...count,
    id: push_error_id,
    hour: `${hour}:00:00.000Z`,
    key_hint,
    address,
    platforms: sources.flatMap((source) => {
      const match = matchSource(sender, source)
      return match === null ? [] : [{ platform_name: source.platform_name, match }]
    }),
  }
}
