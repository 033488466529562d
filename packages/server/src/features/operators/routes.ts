import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer } from '@recordhub/protocol'
import type { FastifyRequest, FastifySchema } from 'fastify'
import type { Caller } from '../../domain/caller.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import { type Auth, CLIENT_ADDRESS_HEADER } from './auth.ts'
import { createFirstOperator } from './create-operator.ts'
import { isSetupToken } from './setup-link.ts'

const SetupRequest = Type.Object(
  {
    token: Type.String(),
    email: Type.String(),
    name: Type.Optional(Type.String()),
    password: Type.String(),
  },
  { additionalProperties: false },
)

/** What Better Auth answers is passed on as it is. */
const describeBetterAuth = (summary: string): FastifySchema => ({
  summary,
  response: { 200: Type.Object({}, { additionalProperties: true }) },
})

/** Sign-in, sessions and the first operator. */
export function operatorRoutes(parts: {
  auth: Auth
  operators: OperatorStore
  activity: ActivityStore
  secrets: SecretBox
  callerOf: (request: FastifyRequest) => Caller
  csrfTokenOf: (sessionId: string) => string
}): FastifyPluginAsyncTypebox {
  const { auth, activity, secrets, callerOf, csrfTokenOf } = parts
  return async (app) => {
    // Better Auth has many more paths; what the hub does not offer is not reachable.
    for (const [method, path, summary] of [
      ['POST', 'sign-in/email', 'Sign in with {email, password}, which gives a session cookie'],
      ['POST', 'sign-out', 'End the session'],
    ] as const) {
      app.route({
        method,
        url: `/api/auth/${path}`,
        schema: describeBetterAuth(summary),
        handler: async (request, reply) => {
          const answer = await auth.handler(toWebRequest(request))
          reply.code(answer.status)
          for (const [name, value] of answer.headers) {
            if (name !== 'set-cookie' && name !== 'content-length') reply.header(name, value)
          }
          for (const cookie of answer.headers.getSetCookie()) reply.header('set-cookie', cookie)
          const text = await answer.text()
          if (answer.status === 429) throw tooManyGuesses(answer.headers.get('x-retry-after'))
          return reply.send(answer.ok ? text : toErrorAnswer(text, request.id))
        },
      })
    }

    app.get(
      '/api/v1/session',
      {
        schema: {
          summary: 'Who is signed in, and the CSRF token of the session',
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              operator: Type.Object({
                id: Type.String(),
                email: Type.String(),
                name: Type.String(),
                role: Type.String(),
              }),
              csrf_token: Type.String(),
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const caller = callerOf(request)
        if (caller.kind !== 'operator') throw new HubError('not_signed_in')
        const { id, email, name, role } = caller
        return {
          success: true as const,
          operator: { id, email, name, role },
          csrf_token: csrfTokenOf(caller.sessionId),
        }
      },
    )

    app.post(
      '/setup',
      {
        schema: {
          summary: 'Create the first operator by the link that the hub printed',
          body: SetupRequest,
          response: {
            201: Type.Object({ success: Type.Literal(true), message: Type.String() }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const { token, email, name = '', password } = request.body
        if (!isSetupToken(secrets, token)) throw new HubError('setup_link_invalid')
        await createFirstOperator(parts, { email, name, password })
        await activity.appendAudit({
          actor: email,
          action: 'operator.create_first',
          target: email,
          address: request.ip,
        })
        return reply
          .code(201)
          .send({ success: true as const, message: 'The operator was created. Sign in.' })
      },
    )
  }
}

function tooManyGuesses(header: string | null): HubError {
  const seconds = Number(header) || 60
  return new HubError('too_many_requests', { seconds }, { retryAfterSeconds: seconds })
}

/** What Better Auth says of a failure, in the form of every error of the hub. */
function toErrorAnswer(text: string, request_id: string): ErrorAnswer {
  const { code = 'sign_in_failed', message = 'The request was not accepted.' } = Object(
    text.startsWith('{') ? JSON.parse(text) : {},
  )
  return { success: false, code: String(code).toLowerCase(), message: String(message), request_id }
}

function toWebRequest(request: FastifyRequest): Request {
  const url = new URL(request.url, `${request.protocol}://${request.host}`)
  const headers = toWebHeaders(request)
  headers.set(CLIENT_ADDRESS_HEADER, request.ip)
  // Who sends none is no browser, and our own guard has judged it; Better Auth insists on one.
  if (!headers.has('origin')) headers.set('origin', url.origin)
  const hasBody = request.method !== 'GET' && request.body !== undefined
  return new Request(url, {
    method: request.method,
    headers,
    ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
  })
}

/** The headers of a request in the form of the Web standard. */
export function toWebHeaders(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'content-length' || name === CLIENT_ADDRESS_HEADER) continue
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}
