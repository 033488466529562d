import {
  type AuditAction,
  ClosedObject,
  DoneResponse,
  Passkey,
  RequestText,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { found } from '../../errors.ts'
import { operatorOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { forwardToBetterAuth, forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import { type ReauthenticateDeps, reauthenticate } from './reauthenticate.ts'

const Anything = Type.Object({}, { additionalProperties: true })
const PasswordRequest = ClosedObject({ password: Type.Optional(Type.String({ maxLength: 1000 })) })

/** The operator's own passkeys. */
export function passkeyRoutes(
  deps: ReauthenticateDeps & Pick<AuthDeps, 'activity' | 'secondFactorPolicy'>,
) {
  const { betterAuth, operators, activity, secondFactorPolicy } = deps

  async function list(request: FastifyRequest): Promise<Passkey[]> {
    const call = { path: 'passkey/list-user-passkeys', method: 'GET', withSession: true } as const
    const response = await forwardToBetterAuth(betterAuth, request, call)
    const all: unknown = response.ok ? await response.json() : []
    return (Array.isArray(all) ? all : []).map(toPasskey)
  }

  function appendAudit(request: FastifyRequest, action: AuditAction, name: string): Promise<void> {
    const { email: target } = operatorOf(request)
    return activity.appendAudit({ ...request.requester, action, target, details: { name } })
  }

  return [
    route('GET /api/v1/account/passkeys', {
      summary: 'List your passkeys',
      response: { passkeys: Type.Array(Passkey) },
      async handle(request) {
        operatorOf(request)
        return { passkeys: await list(request) }
      },
    }),

    route('POST /api/v1/account/passkeys/options', {
      summary: 'Get the options with which a browser creates a passkey; requires the password',
      body: PasswordRequest,
      response: { options: Anything },
      async handle(request, reply) {
        await reauthenticate(deps, request, operatorOf(request), request.body.password)
        const call = { path: 'passkey/generate-register-options', method: 'GET' } as const
        return { options: await forwardToBetterAuthAs(betterAuth, request, reply, call) }
      },
    }),

    route('POST /api/v1/account/passkeys', {
      summary: 'Add the passkey that a browser has created from the options',
      body: ClosedObject({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        response: Anything,
      }),
      status: 201,
      response: DoneResponse.properties,
      async handle(request, reply) {
        const { sessionId } = operatorOf(request)
        const { name, response } = request.body
        const path = 'passkey/verify-registration'
        await forwardToBetterAuthAs(betterAuth, request, reply, { path, body: { name, response } })
        await operators.markSessionStrong(sessionId)
        await appendAudit(request, 'passkey.create', name)
        return { message: 'The passkey was added.' }
      },
    }),

    route('DELETE /api/v1/account/passkeys/:id', {
      summary: 'Remove one of your passkeys; requires the password',
      params: { id: RequestText() },
      body: PasswordRequest,
      response: DoneResponse.properties,
      async handle(request, reply) {
        const operator = operatorOf(request)
        const { id } = request.params
        const passkey = (await list(request)).find((one) => one.id === id)
        const { name } = found('passkey', passkey)
        await secondFactorPolicy.assertFactorRemains(operator.id, 'passkey')
        await reauthenticate(deps, request, operator, request.body.password)
        const path = 'passkey/delete-passkey'
        await forwardToBetterAuthAs(betterAuth, request, reply, { path, body: { id } })
        await appendAudit(request, 'passkey.remove', name)
        return { message: 'The passkey was removed.' }
      },
    }),
  ]
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
