import { type AuditAction, ClosedObject, DoneResponse } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { operatorOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import { type ReauthenticateDeps, reauthenticate } from './reauthenticate.ts'

const PasswordRequest = ClosedObject({ password: Type.String({ maxLength: 1000 }) })
const Codes = Type.Array(Type.String())

/** The authenticator app of the operator's own account. */
export function secondFactorRoutes(
  deps: ReauthenticateDeps & Pick<AuthDeps, 'activity' | 'secondFactorPolicy'>,
) {
  const { betterAuth, operators, activity, throttle, secondFactorPolicy } = deps

  /** Forwards a request that contains a password or code, under the login throttle. */
  function forward(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { path: string; body: object },
  ): Promise<Record<string, unknown>> {
    return throttle.reauthenticate(operatorOf(request).sessionId, () =>
      forwardToBetterAuthAs(betterAuth, request, reply, call),
    )
  }

  function appendAudit(request: FastifyRequest, action: AuditAction): Promise<void> {
    const { email: target } = operatorOf(request)
    return activity.appendAudit({ ...request.requester, action, target })
  }

  return [
    route('POST /api/v1/account/second-factor', {
      summary: 'Start setting up two-factor authentication; a code of the app completes it',
      body: PasswordRequest,
      response: {
        /** `otpauth://…`, for the QR code that an app scans. */
        totp_uri: Type.String(),
        recovery_codes: Codes,
      },
      async handle(request, reply) {
        const call = { path: 'two-factor/enable', body: request.body }
        const { totpURI, backupCodes } = await forward(request, reply, call)
        reply.header('Cache-Control', 'no-store')
        return { totp_uri: String(totpURI), recovery_codes: codesOf(backupCodes) }
      },
    }),

    route('POST /api/v1/account/second-factor/confirm', {
      summary: 'Complete the setup of two-factor authentication with a code of the app',
      body: ClosedObject({ code: Type.String({ maxLength: 20 }) }),
      response: DoneResponse.properties,
      async handle(request, reply) {
        await forward(request, reply, { path: 'two-factor/verify-totp', body: request.body })
        await appendAudit(request, 'second_factor.enable')
        return { message: 'Two-factor authentication is on.' }
      },
    }),

    route('POST /api/v1/account/second-factor/recovery-codes', {
      summary: 'Create new recovery codes, which replace the old ones',
      body: PasswordRequest,
      response: { recovery_codes: Codes },
      async handle(request, reply) {
        const call = { path: 'two-factor/generate-backup-codes', body: request.body }
        const { backupCodes } = await forward(request, reply, call)
        await appendAudit(request, 'second_factor.recovery_codes')
        reply.header('Cache-Control', 'no-store')
        return { recovery_codes: codesOf(backupCodes) }
      },
    }),

    route('DELETE /api/v1/account/second-factor', {
      summary: 'Turn off two-factor authentication, which ends all other sessions',
      body: PasswordRequest,
      response: DoneResponse.properties,
      async handle(request, reply) {
        const operator = operatorOf(request)
        const { id, email, sessionId } = operator
        const { body } = request
        await secondFactorPolicy.assertFactorRemains(id, 'code')
        await reauthenticate(deps, request, operator, body.password)
        const audit = { ...request.requester, action: 'session.end_others' as const, target: email }
        await operators.endSessions(id, sessionId, audit)
        const call = { path: 'two-factor/disable', body }
        await forwardToBetterAuthAs(betterAuth, request, reply, call)
        await appendAudit(request, 'second_factor.disable')
        return { message: 'Two-factor authentication is off.' }
      },
    }),
  ]
}

function codesOf(codes: unknown): string[] {
  return Array.isArray(codes) ? codes.map(String) : []
}
