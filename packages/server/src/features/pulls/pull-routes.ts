import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  NullableString,
  PlatformPullPage,
  Pull,
  type PullMode,
  PullRequestBody,
  PullRunningResponse,
  PullScopeRequest,
  PullTask,
  PullTaskState,
  type PullTrigger,
  StartPullResponse,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/auth/caller.ts'
import { nameOfCaller } from '../../domain/auth/caller.ts'
import { formatMessage, HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import { ignoreBody } from '../../lib/net/ignore-body.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { PullScope, PullStore } from '../../storage/port/pull-store.ts'
import type { CancelPull } from './cancel-pull.ts'
import { type PullRequested, type RequestPull, toPullScope } from './request-pull.ts'

const PullId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const TASKS_PAGE = 500
const PULLS_PAGE = 50
const PLATFORM_PAGE = 30

/** Starts, cancels and lists pulls. */
export function pullRoutes(deps: {
  pulls: PullStore
  platforms: Pick<PlatformStore, 'readPlatform'>
  requestPull: RequestPull
  cancelPull: CancelPull
  activity: Pick<ActivityStore, 'appendAudit'>
  callerOf: (request: FastifyRequest) => Caller
}): FastifyPluginAsyncTypebox {
  const { pulls, platforms, cancelPull, activity, callerOf } = deps
  const requesterOf = (request: FastifyRequest) => {
    const caller = callerOf(request)
    const trigger: PullTrigger = caller.kind === 'operator' ? 'operator' : 'api'
    return { trigger, requested_by: nameOfCaller(caller) }
  }
  /** Requests a pull and appends the request to the audit log. */
  async function startPull(request: FastifyRequest, mode: PullMode, only?: PullScope) {
    const scope = only ? { only } : {}
    const requested = await deps.requestPull({ ...requesterOf(request), mode, ...scope })
    if (requested.outcome === 'queued') {
      await audit(request, 'pull.start', requested.pull.id, { mode, ...only })
    }
    return toResponse(requested, request.id)
  }

  function audit(request: FastifyRequest, action: string, pullId: number, details = {}) {
    const actor = nameOfCaller(callerOf(request))
    const target = `pull ${pullId}`
    return activity.appendAudit({ actor, action, target, address: request.ip, details })
  }

  return async (app) => {
    const response = { 202: StartPullResponse, 409: PullRunningResponse, '4xx': ErrorResponse }

    app.register(async (scope) => {
      // The specification's clients send a form, JSON or nothing.
      ignoreBody(scope)
      scope.post(
        '/dashboard/pull-all-existing-records',
        {
          schema: {
            summary: 'Pull All Existing Records: pull all platforms in the background',
            response,
          },
        },
        async (request, reply) => {
          const { status, body } = await startPull(request, 'auto')
          return reply.code(status).send(body)
        },
      )
    })

    app.post(
      '/api/v1/pulls',
      {
        schema: {
          summary: 'Pull all platforms in the background',
          body: Type.Union([PullRequestBody, Type.Null()]),
          response,
        },
      },
      async (request, reply) => {
        const { status, body } = await startPull(request, request.body?.mode ?? 'auto')
        return reply.code(status).send(body)
      },
    )

    app.post(
      '/api/v1/platforms/:id/pull',
      {
        schema: {
          summary: 'Pull one platform, or some of its modules, in the background',
          params: PullId,
          body: Type.Union([PullScopeRequest, Type.Null()]),
          // Or the platform is inactive.
          response: { ...response, 409: Type.Union([PullRunningResponse, ErrorResponse]) },
        },
      },
      async (request, reply) => {
        const recordTypes = request.body?.record_types ?? null
        const only = await toPullScope(platforms, request.params.id, recordTypes)
        const { status, body } = await startPull(request, request.body?.mode ?? 'auto', only)
        return reply.code(status).send(body)
      },
    )

    app.get(
      '/api/v1/platforms/:id/pulls',
      {
        schema: {
          summary: 'List the pulls of one platform, newest first',
          params: PullId,
          querystring: Type.Object(
            { cursor: Type.Optional(Type.Integer({ minimum: 1 })) },
            { additionalProperties: false },
          ),
          response: { 200: PlatformPullPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        if (!(await platforms.readPlatform(request.params.id))) {
          throw new HubError('not_found', { what: 'platform' })
        }
        const before = request.query.cursor ?? null
        const query = { platform_id: request.params.id, limit: PLATFORM_PAGE + 1, before }
        const found = await pulls.listPlatformPulls(query)
        const { page, next_cursor } = paginate(found, PLATFORM_PAGE, ({ pull_id }) => pull_id)
        return { success: true as const, pulls: page, next_cursor }
      },
    )

    app.post(
      '/api/v1/pulls/:id/cancel',
      {
        schema: {
          summary: 'Cancel a pull; records that it stored remain',
          params: PullId,
          response: { 202: StartPullResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const actor = nameOfCaller(callerOf(request))
        const pull = await cancelPull(request.params.id, actor)
        await audit(request, 'pull.cancel', pull.id)
        const message = 'The pull was cancelled. Records that it stored remain.'
        return reply.code(202).send({ success: true, message, pull })
      },
    )

    app.get(
      '/api/v1/pulls',
      {
        schema: {
          summary: 'List pulls, newest first',
          querystring: Type.Object(
            { cursor: Type.Optional(Type.Integer({ minimum: 1 })) },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              pulls: Type.Array(Pull),
              next_cursor: NullableString,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const before = request.query.cursor ?? null
        const found = await pulls.listPulls({ limit: PULLS_PAGE + 1, before })
        const { page, next_cursor } = paginate(found, PULLS_PAGE, ({ id }) => id)
        return { success: true as const, pulls: page, next_cursor }
      },
    )

    app.get(
      '/api/v1/pulls/:id',
      {
        schema: {
          summary: 'Read a pull with its tasks',
          params: PullId,
          querystring: Type.Object(
            {
              state: Type.Optional(PullTaskState),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TASKS_PAGE })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              pull: Pull,
              tasks: Type.Array(PullTask),
              next_cursor: NullableString,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const pull = await pulls.readPull(request.params.id)
        if (!pull) throw new HubError('not_found', { what: 'pull' })
        const { state = null, limit = TASKS_PAGE, cursor: after = null } = request.query
        const query = { pull_id: pull.id, state, limit: limit + 1, after }
        const found = await pulls.listTasks(query)
        const { page, next_cursor } = paginate(found, limit, ({ task_number }) => task_number)
        const tasks = page.map(({ task_number: _, ...task }) => task)
        return { success: true as const, pull, tasks, next_cursor }
      },
    )
  }
}

function toResponse({ outcome, pull }: PullRequested, request_id: string) {
  if (outcome === 'queued') {
    const message = 'The pull has been queued. It runs in the background.'
    return { status: 202 as const, body: { success: true as const, message, pull } }
  }
  const code = 'pull_already_running'
  const body = { success: false as const, code, message: formatMessage(code), request_id, pull }
  return { status: 409 as const, body }
}
