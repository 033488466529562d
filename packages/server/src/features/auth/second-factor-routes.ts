import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneResponse, ErrorResponse } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { reauthenticate } from './reauthenticate.ts'
import { type CallerOf, operatorOf } from './requester.ts'
import type { SecondFactorPolicy } from './second-factor-policy.ts'

const PasswordRequest = Type.Object(
  { password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
)
const Codes = Type.Array(Type.String())

/** The authenticator app of the operator's own account. */
export function secondFactorRoutes(deps: {
  betterAuth: BetterAuth
  operators: OperatorStore
  activity: ActivityStore
  clock: Clock
  throttle: LoginThrottle
  secondFactorPolicy: SecondFactorPolicy
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { betterAuth, operators, activity, throttle, secondFactorPolicy, callerOf } = deps

  /** Forwards a request that contains a password or code, under the login throttle. */
  function forward(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { path: string; body: object },
  ): Promise<Record<string, unknown>> {
    const { sessionId } = operatorOf(callerOf, request)
    return throttle.reauthenticate(sessionId, () =>
      forwardToBetterAuthAs(betterAuth, request, reply, call),
    )
  }

  async function appendAudit(request: FastifyRequest, action: string): Promise<void> {
    const { email } = operatorOf(callerOf, request)
    await activity.appendAudit({ actor: email, action, target: email, address: request.ip })
  }

  return async (app) => {
    app.post(
      '/api/v1/account/second-factor',
      {
        schema: {
          summary: 'Start setting up two-factor authentication; a code of the app completes it',
          body: PasswordRequest,
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              /** `otpauth://…`, for the QR code that an app scans. */
              totp_uri: Type.String(),
              recovery_codes: Codes,
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const call = { path: 'two-factor/enable', body: request.body }
        const body = await forward(request, reply, call)
        reply.header('Cache-Control', 'no-store')
        return {
          success: true as const,
          totp_uri: String(body['totpURI']),
          recovery_codes: codesOf(body['backupCodes']),
        }
      },
    )

    app.post(
      '/api/v1/account/second-factor/confirm',
      {
        schema: {
          summary: 'Complete the setup of two-factor authentication with a code of the app',
          body: Type.Object(
            { code: Type.String({ maxLength: 20 }) },
            { additionalProperties: false },
          ),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        await forward(request, reply, { path: 'two-factor/verify-totp', body: request.body })
        await appendAudit(request, 'second_factor.enable')
        return { success: true as const, message: 'Two-factor authentication is on.' }
      },
    )

    app.post(
      '/api/v1/account/second-factor/recovery-codes',
      {
        schema: {
          summary: 'Create new recovery codes, which replace the old ones',
          body: PasswordRequest,
          response: {
            200: Type.Object({ success: Type.Literal(true), recovery_codes: Codes }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const path = 'two-factor/generate-backup-codes'
        const body = await forward(request, reply, { path, body: request.body })
        await appendAudit(request, 'second_factor.recovery_codes')
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, recovery_codes: codesOf(body['backupCodes']) }
      },
    )

    app.delete(
      '/api/v1/account/second-factor',
      {
        schema: {
          summary: 'Turn off two-factor authentication, which ends all other sessions',
          body: PasswordRequest,
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const operator = operatorOf(callerOf, request)
        const { id, email, sessionId } = operator
        const { body } = request
        await secondFactorPolicy.assertFactorRemains(id, 'code')
        await reauthenticate(deps, request, operator, body.password)
        const audit = { actor: email, action: 'session.end_others', target: email }
        await operators.endSessions(id, sessionId, { ...audit, address: request.ip })
        await forwardToBetterAuthAs(betterAuth, request, reply, {
          path: 'two-factor/disable',
          body,
        })
        await appendAudit(request, 'second_factor.disable')
        return { success: true as const, message: 'Two-factor authentication is off.' }
      },
    )
  }
}

function codesOf(codes: unknown): string[] {
  return Array.isArray(codes) ? codes.map(String) : []
}
