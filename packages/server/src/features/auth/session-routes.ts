import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneResponse, ErrorResponse, RequiredSecondFactorStep } from '@recordhub/protocol'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { createFirstOperator, isSetupToken } from './first-operator.ts'
import { type CallerOf, operatorOf } from './requester.ts'

const SetupRequest = Type.Object(
  {
    token: Type.String({ maxLength: 200 }),
    email: Type.String({ maxLength: 320 }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    password: Type.String({ maxLength: 1000 }),
  },
  { additionalProperties: false },
)

/** The session of the signed-in operator, and the setup of the first operator. */
export function sessionRoutes(deps: {
  betterAuth: BetterAuth
  operators: OperatorStore
  activity: ActivityStore
  secrets: SecretBox
  publicUrl: string
  callerOf: CallerOf
  csrfTokenOf: (sessionId: string) => string
}): FastifyPluginAsyncTypebox {
  const { activity, secrets, callerOf, csrfTokenOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/session',
      {
        schema: {
          summary: 'Read the signed-in operator and the CSRF token of the session',
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
              required_second_factor_step: RequiredSecondFactorStep,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const caller = operatorOf(callerOf, request)
        const { id, email, name, role } = caller
        return {
          success: true as const,
          operator: { id, email, name, role },
          csrf_token: csrfTokenOf(caller.sessionId),
          required_second_factor_step: caller.secondFactorStep,
        }
      },
    )

    app.post(
      '/setup',
      {
        schema: {
          summary: 'Create the first operator with the link that the hub printed at its start',
          body: SetupRequest,
          response: {
            201: DoneResponse,
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const { token, email, name = '', password } = request.body
        if (!isSetupToken(secrets, token)) throw new HubError('setup_link_invalid')
        await createFirstOperator(deps, { email, name, password })
        const actor = email.toLowerCase()
        await activity.appendAudit({
          actor,
          action: 'operator.create_first',
          target: actor,
          address: request.ip,
        })
        return reply.code(201).send({
          success: true as const,
          message: 'The operator was created. You can sign in now.',
        })
      },
    )
  }
}
