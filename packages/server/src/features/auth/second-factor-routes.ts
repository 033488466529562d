import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneAnswer, ErrorAnswer } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { reauthenticate } from './reauthenticate.ts'
import { type CallerOf, operatorOf } from './requester.ts'
import type { SecondFactorRule } from './second-factor-rule.ts'

const PasswordRequest = Type.Object(
  { password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)
const Codes = Type.Array(Type.String())

/** The code of an authenticator app as one's second factor. */
export function secondFactorRoutes(parts: {
  auth: Auth
  operators: OperatorStore
  activity: ActivityStore
  clock: Clock
  limits: LoginThrottle
  rule: SecondFactorRule
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { auth, operators, activity, limits, rule, callerOf } = parts

  /** What takes one's password or code. */
  function confirm(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { path: string; body: object },
  ): Promise<Record<string, unknown>> {
    const { sessionId } = operatorOf(callerOf, request)
    return limits.confirming(sessionId, () => forwardToBetterAuthAs(auth, request, reply, call))
  }

  async function note(request: FastifyRequest, action: string): Promise<void> {
    const { email } = operatorOf(callerOf, request)
    await activity.appendAudit({ actor: email, action, target: email, address: request.ip })
  }

  return async (app) => {
    app.post(
      '/api/v1/account/second-factor',
      {
        schema: {
          summary: 'Begin to set up a second factor; it counts once a code of it was confirmed',
          body: PasswordRequest,
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              /** `otpauth://…`, for the picture that an app reads. */
              totp_uri: Type.String(),
              recovery_codes: Codes,
            }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const call = { path: 'two-factor/enable', body: request.body }
        const said = await confirm(request, reply, call)
        reply.header('Cache-Control', 'no-store')
        return {
          success: true as const,
          totp_uri: String(said['totpURI']),
          recovery_codes: codesOf(said['backupCodes']),
        }
      },
    )

    app.post(
      '/api/v1/account/second-factor/confirm',
      {
        schema: {
          summary: 'Switch the second factor on by a code of the app',
          body: Type.Object(
            { code: Type.String({ maxLength: 20 }) },
            { additionalProperties: false },
          ),
          response: { 200: DoneAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        await confirm(request, reply, { path: 'two-factor/verify-totp', body: request.body })
        await note(request, 'second_factor.enable')
        return { success: true as const, message: 'The second factor is on.' }
      },
    )

    app.post(
      '/api/v1/account/second-factor/recovery-codes',
      {
        schema: {
          summary: 'Make new recovery codes; the old ones hold no more',
          body: PasswordRequest,
          response: {
            200: Type.Object({ success: Type.Literal(true), recovery_codes: Codes }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const path = 'two-factor/generate-backup-codes'
        const said = await confirm(request, reply, { path, body: request.body })
        await note(request, 'second_factor.recovery_codes')
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, recovery_codes: codesOf(said['backupCodes']) }
      },
    )

    app.delete(
      '/api/v1/account/second-factor',
      {
        schema: {
          summary: 'Switch the second factor off, which ends all other sessions',
          body: PasswordRequest,
          response: { 200: DoneAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        const { id, email, sessionId } = operator
        const { body } = request
        await rule.expectAnother(id, 'code')
        await reauthenticate(parts, request, operator, body.password)
        const audit = { actor: email, action: 'session.end_others', target: email }
        await operators.endSessions(id, sessionId, { ...audit, address: request.ip })
        await forwardToBetterAuthAs(auth, request, reply, { path: 'two-factor/disable', body })
        await note(request, 'second_factor.disable')
        return { success: true as const, message: 'The second factor is off.' }
      },
    )
  }
}

function codesOf(said: unknown): string[] {
  return Array.isArray(said) ? said.map(String) : []
}
