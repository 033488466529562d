import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ApiToken,
  DoneResponse,
  ErrorResponse,
  PasswordAgain,
  Role,
  TokenScope,
} from '@recordhub/protocol'
import { type Caller, creatorOf, hasRole } from '../../domain/auth/caller.ts'
import { CONFIRMED_SCOPES } from '../../domain/auth/confirmed-action.ts'
import { HubError } from '../../errors.ts'
import { type Clock, daysFrom } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import { createOwnedToken } from '../auth/api-token.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'

/** API tokens: an operator manages their own tokens, an admin manages all of them. */
export function tokenRoutes(deps: {
  operators: OperatorStore
  clock: Clock
  confirmAction: ConfirmAction
  callerOf: CallerOf
  requesterOf: RequesterOf
}): FastifyPluginAsyncTypebox {
  const { operators, clock, confirmAction, callerOf, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/tokens',
      {
        schema: {
          summary: 'List your tokens; as an admin, all tokens',
          response: {
            200: Type.Object({ success: Type.Literal(true), tokens: Type.Array(ApiToken) }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const tokens = await operators.listTokens(scopeOf(callerOf(request)))
        return { success: true as const, tokens }
      },
    )

    app.post(
      '/api/v1/tokens',
      {
        schema: {
          summary: 'Create a token with your role or a lower one; only this response contains it',
          description:
            'A token needs the scope access, and cannot give the scopes hub_keys and access.',
          body: Type.Object(
            {
              name: Type.String({ minLength: 1, maxLength: 100 }),
              role: Role,
              scope: Type.Optional(Type.Union([TokenScope, Type.Null()])),
              /** Absent or null: the token does not expire. */
              expires_in_days: Type.Optional(
                Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()]),
              ),
              ...PasswordAgain,
            },
            { additionalProperties: false },
          ),
          response: {
            201: Type.Object({
              success: Type.Literal(true),
              api_token: ApiToken,
              token: Type.String(),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request)
        const { name, role, scope = null, expires_in_days = null, password } = request.body
        if (!hasRole(caller, role)) throw new HubError('forbidden', { role })
        if (caller.kind === 'program' && CONFIRMED_SCOPES.some((one) => one === scope)) {
          throw new HubError('operators_only')
        }
        const action = { action: 'token.create', target: name, password }
        await confirmAction(request, { ...action, scope: 'access' })
        const expiresAt = expires_in_days === null ? null : daysFrom(clock.now(), expires_in_days)
        const created = await createOwnedToken(
          operators,
          {
            name: name.trim(),
            role,
            scope,
            expiresAt: earliest(expiresAt, expiryOf(caller)),
            creator: creatorOf(caller),
          },
          requesterOf(request),
        )
        return reply
          .code(201)
          .header('Cache-Control', 'no-store')
          .send({ success: true as const, api_token: created.stored, token: created.token })
      },
    )

    app.delete(
      '/api/v1/tokens/:id',
      {
        schema: {
          summary: 'Revoke a token with the tokens that it created and its open invitations',
          params: Type.Object({ id: Type.Integer() }),
          response: {
            200: DoneResponse,
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const revoked = await operators.revokeToken(
          request.params.id,
          scopeOf(callerOf(request)),
          ({ id, name, role }) => ({
            ...requesterOf(request),
            action: 'token.revoke',
            target: name,
            details: { token_id: id, role },
          }),
        )
        if (!revoked) throw new HubError('not_found', { what: 'token' })
        return { success: true as const, message: `The token ${revoked.name} was revoked.` }
      },
    )
  }
}

/** The operator whose tokens a caller may manage; null for all tokens. */
function scopeOf(caller: Caller): string | null {
  if (hasRole(caller, 'admin')) return null
  const { operator_id: owner } = creatorOf(caller)
  if (owner === null) throw new HubError('operators_only')
  return owner
}

/** A token that a program creates does not outlive the token of the program. */
function expiryOf(caller: Caller): string | null {
  return caller.kind === 'program' ? caller.expiresAt : null
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
