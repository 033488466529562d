import {
  ErrorResponse,
  NullableString,
  PlatformPullPage,
  Pull,
  PullFilter,
  type PullMode,
  PullRequestBody,
  PullRunningResponse,
  PullScopeRequest,
  PullTask,
  PullTaskState,
  StartPullResponse,
} from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { nameOfCaller } from '../../domain/auth/caller.ts'
import { formatMessage, found } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { Cursor, readTime, route, scoped, special } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import { ignoreBody } from '../../lib/net/http.ts'
import type { PullScope } from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { cancelPull, type PullRequested, type RequestPull, toPullScope } from './request-pull.ts'
import type { PullRunner } from './run-pull.ts'

const TASKS_PAGE = 500
const PULLS_PAGE = 50
const MAX_PULLS_PAGE = 500
const PLATFORM_PAGE = 30

type PullDeps = Pick<FeatureDeps, 'pulls' | 'platforms' | 'activity'> & {
  requestPull: RequestPull
  runner: Pick<PullRunner, 'cancel'>
}

/** Starts, cancels and lists pulls. */
export function pullRoutes(deps: PullDeps) {
  const { pulls, platforms, activity } = deps
  const response = { 202: StartPullResponse, 409: PullRunningResponse }
  return [
    special('POST /api/v1/pulls', {
      summary: 'Pull all platforms in the background',
      body: Type.Union([PullRequestBody, Type.Null()]),
      response,
      handle: (request, reply) => startPull(deps, request, reply, request.body?.mode ?? 'auto'),
    }),

    special('POST /api/v1/platforms/:id/pull', {
      summary: 'Pull one platform, or some of its modules, in the background',
      body: Type.Union([PullScopeRequest, Type.Null()]),
      // Or the platform is inactive.
      response: { ...response, 409: Type.Union([PullRunningResponse, ErrorResponse]) },
      async handle(request, reply) {
        const { record_types = null, mode = 'auto' } = request.body ?? {}
        const only = await toPullScope(platforms, request.params.id, record_types)
        return startPull(deps, request, reply, mode, only)
      },
    }),

    route('GET /api/v1/platforms/:id/pulls', {
      summary: 'List the pulls of one platform, newest first',
      query: { cursor: Cursor },
      response: PlatformPullPage.properties,
      async handle({ params: { id: platform_id }, query: { cursor: before = null } }) {
        found('platform', await platforms.readPlatform(platform_id))
        const query = { platform_id, limit: PLATFORM_PAGE + 1, before }
        const rows = await pulls.listPlatformPulls(query)
        const { page, next_cursor } = paginate(rows, PLATFORM_PAGE, ({ pull_id }) => pull_id)
        return { pulls: page, next_cursor }
      },
    }),

    route('POST /api/v1/pulls/:id/cancel', {
      summary: 'Cancel a pull; records that it stored remain',
      status: 202,
      response: StartPullResponse.properties,
      async handle({ params: { id }, requester }) {
        const pull = await cancelPull(deps, id, requester.actor)
        const entry = { action: 'pull.cancel' as const, target: `pull ${id}`, details: {} }
        await activity.appendAudit({ ...requester, ...entry })
        return { message: 'The pull was cancelled. Records that it stored remain.', pull }
      },
    }),

    route('GET /api/v1/pulls', {
      summary: 'List pulls, newest first',
      query: {
        ...PullFilter.properties,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PULLS_PAGE })),
        cursor: Cursor,
      },
      response: { pulls: Type.Array(Pull), next_cursor: NullableString },
      async handle({ query }) {
        const { limit = PULLS_PAGE, cursor: before = null, since, until, ...only } = query
        const period = { since: readTime('since', since), until: readTime('until', until) }
        const rows = await pulls.listPulls({ ...only, ...period, limit: limit + 1, before })
        const { page, next_cursor } = paginate(rows, limit, ({ id }) => id)
        return { pulls: page, next_cursor }
      },
    }),

    route('GET /api/v1/pulls/:id', {
      summary: 'Read a pull with its tasks',
      query: {
        state: Type.Optional(PullTaskState),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TASKS_PAGE })),
        cursor: Cursor,
      },
      response: { pull: Pull, tasks: Type.Array(PullTask), next_cursor: NullableString },
      async handle({ params: { id: pull_id }, query }) {
        const pull = found('pull', await pulls.readPull(pull_id))
        const { state = null, limit = TASKS_PAGE, cursor: after = null } = query
        const rows = await pulls.listTasks({ pull_id, state, limit: limit + 1, after })
        const { page, next_cursor } = paginate(rows, limit, ({ task_number }) => task_number)
        const tasks = page.map(({ task_number: _, ...task }) => task)
        return { pull, tasks, next_cursor }
      },
    }),

    // The specification's clients send a form, JSON or nothing.
    scoped(
      ignoreBody,
      special('POST /dashboard/pull-all-existing-records', {
        summary: 'Pull All Existing Records: pull all platforms in the background',
        response,
        handle: (request, reply) => startPull(deps, request, reply, 'auto'),
      }),
    ),
  ]
}

/** Requests a pull, appends the request to the audit log, and sends the response. */
async function startPull(
  { requestPull, activity }: PullDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  mode: PullMode,
  only?: PullScope,
) {
  const caller = callerOf(request)
  const trigger = caller.kind === 'operator' ? 'operator' : 'api'
  const by = { trigger, requested_by: nameOfCaller(caller) } as const
  const requested = await requestPull({ ...by, mode, ...(only ? { only } : {}) })
  if (requested.outcome === 'queued') {
    const entry = { action: 'pull.start' as const, target: `pull ${requested.pull.id}` }
    await activity.appendAudit({ ...request.requester, ...entry, details: { mode, ...only } })
  }
  const { status, body } = toResponse(requested, request.id)
  return reply.code(status).send(body)
}

function toResponse({ outcome, pull }: PullRequested, request_id: string) {
  if (outcome === 'queued') {
    const message = 'The pull has been queued. It runs in the background.'
    return { status: 202, body: { success: true, message, pull } }
  }
  const code = 'pull_already_running'
  const body = { success: false, code, message: formatMessage(code), request_id, pull }
  return { status: 409, body }
}
