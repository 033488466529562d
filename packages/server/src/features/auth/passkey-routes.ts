import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneAnswer, ErrorAnswer, Passkey } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'
import { forwardToBetterAuth, forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { reauthenticate } from './reauthenticate.ts'
import { type CallerOf, operatorOf } from './requester.ts'
import type { SecondFactorRule } from './second-factor-rule.ts'

const Anything = Type.Object({}, { additionalProperties: true })
const PasswordRequest = Type.Object(
  { password: Type.Optional(Type.String({ maxLength: 1000 })) },
  { additionalProperties: false },
)

/** One's own passkeys. */
export function passkeyRoutes(parts: {
  auth: Auth
  operators: OperatorStore
  activity: ActivityStore
  clock: Clock
  limits: LoginThrottle
  rule: SecondFactorRule
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { auth, operators, activity, rule, callerOf } = parts

  async function list(request: FastifyRequest): Promise<Passkey[]> {
    const call = { path: 'passkey/list-user-passkeys', method: 'GET', withSession: true } as const
    const answer = await forwardToBetterAuth(auth, request, call)
    const all: unknown = answer.ok ? await answer.json() : []
    return (Array.isArray(all) ? all : []).map(toPasskey)
  }

  async function note(request: FastifyRequest, action: string, name: string): Promise<void> {
    const { email } = operatorOf(callerOf, request)
    const details = { name }
    await activity.appendAudit({
      actor: email,
      action,
      target: email,
      address: request.ip,
      details,
    })
  }

  return async (app) => {
    app.get(
      '/api/v1/account/passkeys',
      {
        schema: {
          summary: "List one's passkeys",
          response: {
            200: Type.Object({ success: Type.Literal(true), passkeys: Type.Array(Passkey) }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        operatorOf(callerOf, request)
        return { success: true as const, passkeys: await list(request) }
      },
    )

    app.post(
      '/api/v1/account/passkeys/options',
      {
        schema: {
          summary: 'What a browser needs to make a passkey; asks for the password',
          body: PasswordRequest,
          response: {
            200: Type.Object({ success: Type.Literal(true), options: Anything }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        await reauthenticate(parts, request, operator, request.body.password ?? '')
        const call = { path: 'passkey/generate-register-options', method: 'GET' } as const
        const options = await forwardToBetterAuthAs(auth, request, reply, call)
        return { success: true as const, options }
      },
    )

    app.post(
      '/api/v1/account/passkeys',
      {
        schema: {
          summary: 'Add the passkey that a browser made of the options',
          body: Type.Object(
            { name: Type.String({ minLength: 1, maxLength: 100 }), response: Anything },
            { additionalProperties: false },
          ),
          response: { 201: DoneAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { sessionId } = operatorOf(callerOf, request)
        const { name, response } = request.body
        const path = 'passkey/verify-registration'
        await forwardToBetterAuthAs(auth, request, reply, { path, body: { name, response } })
        await operators.markSessionStrong(sessionId)
        await note(request, 'passkey.create', name)
        return reply.code(201).send({ success: true as const, message: 'The passkey was added.' })
      },
    )

    app.delete(
      '/api/v1/account/passkeys/:id',
      {
        schema: {
          summary: "Remove one of one's passkeys; asks for the password",
          params: Type.Object({ id: Type.String() }),
          body: PasswordRequest,
          response: { 200: DoneAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        const { id } = request.params
        const passkey = (await list(request)).find((one) => one.id === id)
        if (!passkey) throw new HubError('not_found', { what: 'passkey' })
        await rule.expectAnother(operator.id, 'passkey')
        await reauthenticate(parts, request, operator, request.body.password ?? '')
        const path = 'passkey/delete-passkey'
        await forwardToBetterAuthAs(auth, request, reply, { path, body: { id } })
        await note(request, 'passkey.remove', passkey.name)
        return { success: true as const, message: 'The passkey was removed.' }
      },
    )
  }
}

function toPasskey(row: Record<string, unknown>): Passkey {
  const { id, name, createdAt, backedUp } = row
  return {
    id: String(id),
    name: name ? String(name) : 'Passkey',
    created_at: createdAt ? new Date(String(createdAt)).toISOString() : null,
    synced: backedUp === true,
  }
}
