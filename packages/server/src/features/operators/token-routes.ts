import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ApiToken, DoneAnswer, ErrorAnswer, Role } from '@recordhub/protocol'
import { type Caller, mayActAs } from '../../domain/auth/caller.ts'
import { HubError } from '../../errors.ts'
import { type Clock, daysFrom } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import { makeApiToken } from '../auth/api-token.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'

/** Tokens for programs: one's own, and for an admin everybody's. */
export function tokenRoutes(parts: {
  operators: OperatorStore
  clock: Clock
  callerOf: CallerOf
  requesterOf: RequesterOf
}): FastifyPluginAsyncTypebox {
  const { operators, clock, callerOf, requesterOf } = parts
  return async (app) => {
    app.get(
      '/api/v1/tokens',
      {
        schema: {
          summary:
            "List the tokens for programs: an admin's list has everybody's, others' their own",
          response: {
            200: Type.Object({ success: Type.Literal(true), tokens: Type.Array(ApiToken) }),
            '4xx': ErrorAnswer,
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
          summary: "Make a token, which is shown this once; its role is not above one's own",
          body: Type.Object(
            {
              name: Type.String({ minLength: 1, maxLength: 100 }),
              role: Role,
              /** For ever where it is left out or null. */
              expires_in_days: Type.Optional(
                Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()]),
              ),
            },
            { additionalProperties: false },
          ),
          response: {
            201: Type.Object({
              success: Type.Literal(true),
              api_token: ApiToken,
              token: Type.String(),
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request)
        const { name, role, expires_in_days = null } = request.body
        if (!mayActAs(caller, role)) throw new HubError('forbidden', { role })
        const asked = expires_in_days === null ? null : daysFrom(clock.now(), expires_in_days)
        const made = await makeApiToken(
          operators,
          {
            name: name.trim(),
            role,
            expiresAt: earliest(asked, endOf(caller)),
            operatorId: ownerOf(caller),
          },
          requesterOf(request),
        )
        return reply
          .code(201)
          .header('Cache-Control', 'no-store')
          .send({ success: true as const, api_token: made.stored, token: made.token })
      },
    )

    app.delete(
      '/api/v1/tokens/:id',
      {
        schema: {
          summary: 'Revoke a token, which holds no more from then on',
          params: Type.Object({ id: Type.Integer() }),
          response: {
            200: DoneAnswer,
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const revoked = await operators.revokeToken(
          request.params.id,
          scopeOf(callerOf(request)),
          ({ name, role }) => ({
            ...requesterOf(request),
            action: 'token.revoke',
            target: name,
            details: { role },
          }),
        )
        if (!revoked) throw new HubError('not_found', { what: 'token' })
        return { success: true as const, message: `The token ${revoked.name} was revoked.` }
      },
    )
  }
}

/** Whose tokens somebody may see; null for everybody's. */
function scopeOf(caller: Caller): string | null {
  if (mayActAs(caller, 'admin')) return null
  const own = ownerOf(caller)
  if (own === null) throw new HubError('operators_only')
  return own
}

/** The operator whom a token that somebody makes belongs to; null for nobody. */
function ownerOf(caller: Caller): string | null {
  return caller.kind === 'operator' ? caller.id : caller.operatorId
}

/** A token that a program makes does not outlive its own. */
function endOf(caller: Caller): string | null {
  return caller.kind === 'program' ? caller.expiresAt : null
}

function earliest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
