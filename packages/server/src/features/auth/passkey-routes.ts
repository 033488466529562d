import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneResponse, ErrorResponse, Passkey, RequestText } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { forwardToBetterAuth, forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { reauthenticate } from './reauthenticate.ts'
import { type CallerOf, operatorOf } from './requester.ts'
import type { SecondFactorPolicy } from './second-factor-policy.ts'

const Anything = Type.Object({}, { additionalProperties: true })
const PasswordRequest = Type.Object(
  { password: Type.Optional(Type.String({ maxLength: 1000 })) },
  { additionalProperties: false },
)

/** The operator's own passkeys. */
export function passkeyRoutes(deps: {
  betterAuth: BetterAuth
  operators: OperatorStore
  activity: ActivityStore
  clock: Clock
  throttle: LoginThrottle
  secondFactorPolicy: SecondFactorPolicy
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { betterAuth, operators, activity, secondFactorPolicy, callerOf } = deps

  async function list(request: FastifyRequest): Promise<Passkey[]> {
    const call = { path: 'passkey/list-user-passkeys', method: 'GET', withSession: true } as const
    const response = await forwardToBetterAuth(betterAuth, request, call)
    const all: unknown = response.ok ? await response.json() : []
    return (Array.isArray(all) ? all : []).map(toPasskey)
  }

  async function appendAudit(request: FastifyRequest, action: string, name: string): Promise<void> {
    const { email } = operatorOf(callerOf, request)
    const audit = { actor: email, action, target: email, address: request.ip }
    await activity.appendAudit({ ...audit, details: { name } })
  }

  return async (app) => {
    app.get(
      '/api/v1/account/passkeys',
      {
        schema: {
          summary: 'List your passkeys',
          response: {
            200: Type.Object({ success: Type.Literal(true), passkeys: Type.Array(Passkey) }),
            '4xx': ErrorResponse,
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
          summary: 'Get the options with which a browser creates a passkey; requires the password',
          body: PasswordRequest,
          response: {
            200: Type.Object({ success: Type.Literal(true), options: Anything }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        await reauthenticate(deps, request, operator, request.body.password ?? '')
        const call = { path: 'passkey/generate-register-options', method: 'GET' } as const
        const options = await forwardToBetterAuthAs(betterAuth, request, reply, call)
        return { success: true as const, options }
      },
    )

    app.post(
      '/api/v1/account/passkeys',
      {
        schema: {
          summary: 'Add the passkey that a browser has created from the options',
          body: Type.Object(
            { name: Type.String({ minLength: 1, maxLength: 100 }), response: Anything },
            { additionalProperties: false },
          ),
          response: { 201: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { sessionId } = operatorOf(callerOf, request)
        const { name, response } = request.body
        const path = 'passkey/verify-registration'
        await forwardToBetterAuthAs(betterAuth, request, reply, { path, body: { name, response } })
        await operators.markSessionStrong(sessionId)
        await appendAudit(request, 'passkey.create', name)
        return reply.code(201).send({ success: true as const, message: 'The passkey was added.' })
      },
    )

    app.delete(
      '/api/v1/account/passkeys/:id',
      {
        schema: {
          summary: 'Remove one of your passkeys; requires the password',
          params: Type.Object({ id: RequestText() }),
          body: PasswordRequest,
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        const { id } = request.params
        const passkey = (await list(request)).find((one) => one.id === id)
        if (!passkey) throw new HubError('not_found', { what: 'passkey' })
        await secondFactorPolicy.assertFactorRemains(operator.id, 'passkey')
        await reauthenticate(deps, request, operator, request.body.password ?? '')
        const path = 'passkey/delete-passkey'
        await forwardToBetterAuthAs(betterAuth, request, reply, { path, body: { id } })
        await appendAudit(request, 'passkey.remove', passkey.name)
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
