import { type PushError, PushErrorPage, PushErrorReason, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { matchSource, type PushSource } from '../../domain/activity/push-errors.ts'
import { Cursor, Limit, route } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { StoredPushError } from '../../storage/port/rejected-push-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50

/** Lists the counts of requests that the receiver rejected without storing them. */
export function pushErrorRoutes({ pushErrors }: Pick<FeatureDeps, 'pushErrors'>) {
  return [
    route('GET /api/v1/push-errors', {
      summary:
        'List pushes with an invalid key or an unreadable body, counted by hour and sender, newest first',
      query: {
        platform: Type.Optional(
          RequestText({ description: 'The platform_name of the likely sender' }),
        ),
        reason: Type.Optional(PushErrorReason),
        request_id: Type.Optional(
          RequestText({ description: 'The last of the requests that are counted' }),
        ),
        limit: Limit,
        cursor: Cursor,
      },
      response: PushErrorPage.properties,
      async handle({ query: { platform, reason = null, request_id = null, ...asked } }) {
        const { limit = PAGE, cursor: before = null } = asked
        const sources = await pushErrors.listPushSources()
        const source = sources.find(({ platform_name }) => platform_name === platform) ?? null
        const isUnknown = platform !== undefined && source === null
        const query = { reason, source, request_id, limit: limit + 1, before }
        const rows = isUnknown ? [] : await pushErrors.listPushErrors(query)
        const { page, next_cursor } = paginate(rows, limit, (one) => one.push_error_id)
        return { push_errors: page.map((one) => toPushError(one, sources)), next_cursor }
      },
    }),
  ]
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
