import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  AcceptRequest,
  ErrorResponse,
  NullableString,
  RejectedPush,
  RejectedPushFilter,
  RejectedPushGroup,
  RejectedPushState,
  ReopenRequest,
  ReplayAllRequest,
  ReplayRequest,
  ReplayResponse,
  ReplayStepResponse,
  RequestText,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { CursorInteger, createCursorCodec } from '../../lib/collections/pagination.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import type { RejectedPushStore } from '../../storage/port/rejected-push-store.ts'
import { acceptRejections } from './accept-rejections.ts'
import { dismissRejectedPushes } from './dismiss-rejected-pushes.ts'
import { replayByFilter } from './replay-by-filter.ts'
import { type ReplayDeps, replayRejectedPush } from './replay-rejected-push.ts'

const PAGE = 50
const CURSOR = createCursorCodec(
  Type.Object({
    at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$' }),
    id: CursorInteger,
  }),
)
const MAX_GROUPS = 500
const Id = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const Success = Type.Object({ success: Type.Literal(true) })
const DismissResponse = Type.Object({ success: Type.Literal(true), dismissed: Type.Integer() })

/** Lists, replays and dismisses rejected pushes. */
export function rejectedPushRoutes(
  deps: Omit<ReplayDeps, 'rejectedPushes'> & {
    rejectedPushes: RejectedPushStore
    requesterOf: (request: FastifyRequest) => Requester
  },
): FastifyPluginAsyncTypebox {
  const { rejectedPushes, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/rejected-pushes',
      {
        schema: {
          summary: 'List rejected pushes and pulled records, newest first',
          querystring: Type.Object(
            {
              ...RejectedPushFilter.properties,
              state: Type.Optional(RejectedPushState),
              pull: Type.Optional(
                Type.Integer({ minimum: 1, description: 'A pull that rejected them' }),
              ),
              request_id: Type.Optional(
                RequestText({ description: 'The last request with which it was rejected' }),
              ),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
              cursor: Type.Optional(RequestText()),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              rejected_pushes: Type.Array(RejectedPush),
              next_cursor: NullableString,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { state = null, pull = null, request_id = null } = request.query
        const { limit = PAGE, cursor } = request.query
        const before = cursor === undefined ? null : CURSOR.decode(cursor)
        const filter = { ...toFilter(request.query), state, pull_id: pull, request_id }
        const query = { ...filter, limit, maxBytes: MAX_PAGE_BYTES, before }
        const { rejected_pushes, has_more } = await rejectedPushes.listRejectedPushes(query)
        const last = rejected_pushes.at(-1)
        return {
          success: true as const,
          rejected_pushes,
          next_cursor: has_more && last ? CURSOR.encode({ at: last.at, id: last.id }) : null,
        }
      },
    )

    app.get(
      '/api/v1/rejected-pushes/groups',
      {
        schema: {
          summary: 'List pending rejections grouped by platform and cause',
          querystring: Type.Object(
            { platform: Type.Optional(RequestText()) },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              groups: Type.Array(RejectedPushGroup, { maxItems: MAX_GROUPS }),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { platform = null } = request.query
        const groups = await rejectedPushes.listGroups({ platform, limit: MAX_GROUPS })
        return { success: true as const, groups }
      },
    )

    app.post(
      '/api/v1/rejected-pushes/groups/accept',
      {
        schema: {
          summary: 'Accept the rejected records of a cause as exceptions, until they change',
          body: AcceptRequest,
          response: { 200: Success, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        await acceptRejections(deps, request.body, requesterOf(request))
        return { success: true as const }
      },
    )

    app.post(
      '/api/v1/rejected-pushes/groups/reopen',
      {
        schema: {
          summary: 'Accept the rejected records of a cause no longer',
          body: ReopenRequest,
          response: { 200: Success, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        await acceptRejections(deps, { ...request.body, digest: null }, requesterOf(request))
        return { success: true as const }
      },
    )

    app.get(
      '/api/v1/rejected-pushes/:id',
      {
        schema: {
          summary: 'Read a rejected push',
          params: Id,
          response: {
            200: Type.Object({ success: Type.Literal(true), rejected_push: RejectedPush }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const rejected_push = await rejectedPushes.readRejectedPush(request.params.id)
        if (!rejected_push) throw new HubError('not_found', { what: 'rejected push' })
        return { success: true as const, rejected_push }
      },
    )

    app.post(
      '/api/v1/rejected-pushes/:id/replay',
      {
        schema: {
          summary: 'Replay a rejected push, unchanged or with an edited body',
          params: Id,
          body: Type.Union([ReplayRequest, Type.Null()]),
          response: { 200: ReplayResponse, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => {
        const { body, dry_run = false, overwrite = false } = request.body ?? {}
        const rejected = { id: request.params.id, body, isDryRun: dry_run, overwrite }
        const requester = { ...requesterOf(request), request_id: request.id }
        const replay = await replayRejectedPush(deps, rejected, requester)
        return { success: true as const, dry_run, replay }
      },
    )

    app.post(
      '/api/v1/rejected-pushes/replay',
      {
        schema: {
          summary: 'Replay all rejected pushes that match a filter, one step per request',
          body: ReplayAllRequest,
          response: { 200: ReplayStepResponse, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => {
        const { dry_run, cursor = null } = request.body
        const step = { ...toFilter(request.body), isDryRun: dry_run, cursor }
        const requester = { ...requesterOf(request), request_id: request.id }
        return { success: true as const, ...(await replayByFilter(deps, step, requester)) }
      },
    )

    app.delete(
      '/api/v1/rejected-pushes/:id',
      {
        schema: {
          summary: 'Dismiss a rejected push',
          params: Id,
          response: { 200: DismissResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const selection = { ...toFilter({}), id: request.params.id }
        const dismissed = await dismissRejectedPushes(deps, selection, requesterOf(request))
        if (dismissed === 0) throw new HubError('not_found', { what: 'rejected push' })
        return { success: true as const, dismissed }
      },
    )

    app.delete(
      '/api/v1/rejected-pushes',
      {
        schema: {
          summary: 'Dismiss all rejected pushes that match a filter',
          querystring: Type.Object(RejectedPushFilter.properties, {
            additionalProperties: false,
            minProperties: 1,
          }),
          response: { 200: DismissResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const selection = { ...toFilter(request.query), id: null }
        const dismissed = await dismissRejectedPushes(deps, selection, requesterOf(request))
        return { success: true as const, dismissed }
      },
    )
  }
}

function toFilter(given: RejectedPushFilter) {
  const { platform = null, code = null, record_type = null, cause = null } = given
  return { platform, code, record_type, cause }
}
