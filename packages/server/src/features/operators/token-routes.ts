import {
  ApiToken,
  ClosedObject,
  DoneResponse,
  PasswordAgain,
  Role,
  TokenScope,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { type Caller, CONFIRMED_SCOPES, creatorOf, hasRole } from '../../domain/auth/caller.ts'
import { found, HubError } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import { daysFrom } from '../../lib/time/clock.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { createOwnedToken } from './manage-operators.ts'

/** API tokens: an operator manages their own tokens, an admin manages all of them. */
export function tokenRoutes(
  deps: Pick<FeatureDeps, 'operators' | 'clock'> & { confirmAction: ConfirmAction },
) {
  const { operators, clock, confirmAction } = deps
  return [
    route('GET /api/v1/tokens', {
      summary: 'List your tokens; as an admin, all tokens',
      response: { tokens: Type.Array(ApiToken) },
      handle: async (request) => ({
        tokens: await operators.listTokens(scopeOf(callerOf(request))),
      }),
    }),

    route('POST /api/v1/tokens', {
      summary: 'Create a token with your role or a lower one; only this response contains it',
      description:
        'A token needs the scope access, and cannot give the scopes hub_keys, access and reverts.',
      body: ClosedObject({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        role: Role,
        scope: Type.Optional(Type.Union([TokenScope, Type.Null()])),
        /** Absent or null: the token does not expire. */
        expires_in_days: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()]),
        ),
        ...PasswordAgain,
      }),
      status: 201,
      response: { api_token: ApiToken, token: Type.String() },
      async handle(request, reply) {
        const caller = callerOf(request)
        const { name, role, scope = null, expires_in_days = null, password } = request.body
        if (!hasRole(caller, role)) throw new HubError('forbidden', { role })
        if (caller.kind === 'program' && CONFIRMED_SCOPES.some((one) => one === scope)) {
          throw new HubError('operators_only')
        }
        const action = { action: 'token.create' as const, target: name, password }
        await confirmAction(request, { ...action, scope: 'access' })
        const expiresAt = expires_in_days === null ? null : daysFrom(clock.now(), expires_in_days)
        const { stored, token } = await createOwnedToken(
          deps,
          {
            name: name.trim(),
            role,
            scope,
            // A token that a program creates does not outlive the token of the program.
            expiresAt: earliest(expiresAt, caller.kind === 'program' ? caller.expiresAt : null),
            creator: creatorOf(caller),
          },
          request.requester,
        )
        reply.header('Cache-Control', 'no-store')
        return { api_token: stored, token }
      },
    }),

    route('DELETE /api/v1/tokens/:id', {
      summary: 'Revoke a token with the tokens that it created and its open invitations',
      params: { id: Type.Integer() },
      response: DoneResponse.properties,
      async handle(request) {
        const { params, requester } = request
        const revoked = await operators.revokeToken(
          params.id,
          scopeOf(callerOf(request)),
          ({ id, name, role }) => ({
            ...{ ...requester, action: 'token.revoke', target: name },
            details: { token_id: id, role },
          }),
        )
        return { message: `The token ${found('token', revoked).name} was revoked.` }
      },
    }),
  ]
}

/** The operator whose tokens a caller may manage; null for all tokens. */
function scopeOf(caller: Caller): string | null {
  if (hasRole(caller, 'admin')) return null
  const { operator_id: owner } = creatorOf(caller)
  if (owner === null) throw new HubError('operators_only')
  return owner
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
