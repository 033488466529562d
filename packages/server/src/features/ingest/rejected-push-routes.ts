import {
  AcceptRequest,
  NullableString,
  RejectedPush,
  RejectedPushFilter,
  RejectedPushState,
  ReopenRequest,
  RepairableGroup,
  ReplayAllRequest,
  ReplayRequest,
  ReplayResponse,
  ReplayStepResponse,
  RequestText,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { found } from '../../errors.ts'
import { Limit, readTime, route, special } from '../../http/route.ts'
import {
  CursorInteger,
  createCursorCodec,
  MAX_PAGE_BYTES,
} from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { withProposals } from './repair-rejected-pushes.ts'
import { type ReplayDeps, replayByFilter, replayRejectedPush } from './replay-rejected-push.ts'
import { acceptRejections, dismissRejectedPushes } from './resolve-rejected-pushes.ts'

const PAGE = 50
const CURSOR = createCursorCodec(
  Type.Object({
    at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$' }),
    id: CursorInteger,
  }),
)
const MAX_GROUPS = 500

/** Lists, replays and dismisses rejected pushes. */
export function rejectedPushRoutes(
  deps: Pick<ReplayDeps, 'ingest'> &
    Pick<FeatureDeps, 'rejectedPushes' | 'platforms' | 'activity' | 'clock'>,
) {
  const { rejectedPushes } = deps
  return [
    route('GET /api/v1/rejected-pushes', {
      summary: 'List rejected pushes and pulled records, newest first',
      query: {
        ...RejectedPushFilter.properties,
        state: Type.Optional(RejectedPushState),
        pull: Type.Optional(Type.Integer({ minimum: 1, description: 'A pull that rejected them' })),
        request_id: Type.Optional(
          RequestText({ description: 'The last request with which it was rejected' }),
        ),
        since: Type.Optional(
          RequestText({ description: 'RFC 3339: last rejected at this time or later' }),
        ),
        limit: Limit,
        cursor: Type.Optional(RequestText()),
      },
      response: { rejected_pushes: Type.Array(RejectedPush), next_cursor: NullableString },
      async handle({ query }) {
        const { state = null, pull = null, request_id = null, limit = PAGE, cursor } = query
        const since = readTime('since', query.since)
        const before = cursor === undefined ? null : CURSOR.decode(cursor)
        const filter = { ...toFilter(query), state, pull_id: pull, request_id, since }
        const page = { limit, maxBytes: MAX_PAGE_BYTES, before }
        const { rejected_pushes, has_more } = await rejectedPushes.listRejectedPushes({
          ...filter,
          ...page,
        })
        const last = rejected_pushes.at(-1)
        const next_cursor = has_more && last ? CURSOR.encode({ at: last.at, id: last.id }) : null
        return { rejected_pushes, next_cursor }
      },
    }),

    route('GET /api/v1/rejected-pushes/groups', {
      summary: 'List pending rejections grouped by platform and cause',
      query: { platform: Type.Optional(RequestText()) },
      response: { groups: Type.Array(RepairableGroup, { maxItems: MAX_GROUPS }) },
      async handle({ query: { platform = null } }) {
        const groups = await rejectedPushes.listGroups({ platform, limit: MAX_GROUPS })
        return { groups: await withProposals(deps, groups) }
      },
    }),

    route('POST /api/v1/rejected-pushes/groups/accept', {
      summary: 'Accept the rejected records of a cause as exceptions, until they change',
      body: AcceptRequest,
      async handle({ body, requester }) {
        await acceptRejections(deps, body, requester)
        return {}
      },
    }),

    route('POST /api/v1/rejected-pushes/groups/reopen', {
      summary: 'Accept the rejected records of a cause no longer',
      body: ReopenRequest,
      async handle({ body, requester }) {
        await acceptRejections(deps, { ...body, digest: null }, requester)
        return {}
      },
    }),

    route('GET /api/v1/rejected-pushes/:id', {
      summary: 'Read a rejected push',
      response: { rejected_push: RejectedPush },
      handle: async ({ params: { id } }) => ({
        rejected_push: found('rejected push', await rejectedPushes.readRejectedPush(id)),
      }),
    }),

    route('POST /api/v1/rejected-pushes/:id/replay', {
      summary: 'Replay a rejected push, unchanged or with an edited body',
      body: Type.Union([ReplayRequest, Type.Null()]),
      response: ReplayResponse.properties,
      async handle({ params: { id }, body: given, requester, id: request_id }) {
        const { body, dry_run = false, overwrite = false } = given ?? {}
        const rejected = { id, body, isDryRun: dry_run, overwrite }
        const replay = await replayRejectedPush(deps, rejected, { ...requester, request_id })
        return { dry_run, replay }
      },
    }),

    route('POST /api/v1/rejected-pushes/replay', {
      summary: 'Replay all rejected pushes that match a filter, one step per request',
      body: ReplayAllRequest,
      response: ReplayStepResponse.properties,
      async handle({ body, requester, id: request_id }) {
        const { dry_run: isDryRun, cursor = null } = body
        const step = { ...toFilter(body), isDryRun, cursor }
        return replayByFilter(deps, step, { ...requester, request_id })
      },
    }),

    route('DELETE /api/v1/rejected-pushes/:id', {
      summary: 'Dismiss a rejected push',
      response: { dismissed: Type.Integer() },
      async handle({ params: { id }, requester }) {
        const dismissed = await dismissRejectedPushes(deps, { ...toFilter({}), id }, requester)
        return { dismissed: found('rejected push', dismissed > 0 && dismissed) }
      },
    }),

    // The schema of its query demands at least one member.
    special('DELETE /api/v1/rejected-pushes', {
      summary: 'Dismiss all rejected pushes that match a filter',
      query: Type.Object(RejectedPushFilter.properties, {
        ...{ additionalProperties: false, minProperties: 1 },
      }),
      response: { 200: Type.Object({ success: Type.Literal(true), dismissed: Type.Integer() }) },
      async handle({ query, requester }) {
        const selection = { ...toFilter(query), id: null }
        return { success: true, dismissed: await dismissRejectedPushes(deps, selection, requester) }
      },
    }),
  ]
}

function toFilter(given: RejectedPushFilter) {
  const { platform = null, code = null, record_type = null, cause = null } = given
  return { platform, code, record_type, cause }
}
