import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  Account,
  DoneResponse,
  ErrorResponse,
  OperatorSession,
  RequestText,
} from '@recordhub/protocol'
import { formatCount } from '../../domain/activity/activity.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { HubError } from '../../errors.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { type CallerOf, operatorOf } from './requester.ts'

const Password = Type.String({ maxLength: 1000 })

/** The operator's own account: password and sessions. */
export function accountRoutes(deps: {
  betterAuth: BetterAuth
  operators: OperatorStore
  activity: ActivityStore
  publicUrl: string
  throttle: LoginThrottle
  callerOf: CallerOf
}): FastifyPluginAsyncTypebox {
  const { betterAuth, operators, activity, publicUrl, throttle, callerOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/account',
      {
        schema: {
          summary: 'Read your account and the ways to sign in to it',
          response: {
            200: Type.Object({ success: Type.Literal(true), account: Account }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const found = await operators.readOperator(operatorOf(callerOf, request).id)
        if (!found) throw new HubError('not_signed_in')
        const { id, email, name, role, has_password, second_factor, passkeys } = found
        const { single_sign_on } = found
        return {
          success: true as const,
          account: {
            id,
            email,
            name,
            role,
            has_password,
            second_factor,
            passkeys,
            single_sign_on,
          },
        }
      },
    )

    app.post(
      '/api/v1/account/password',
      {
        schema: {
          summary: 'Change your password, and end your other sessions and tokens',
          body: Type.Object(
            {
              current_password: Password,
              new_password: Password,
              end_sessions: Type.Optional(
                Type.Boolean({ description: 'Whether all other sessions end. Default: true' }),
              ),
              revoke_tokens: Type.Optional(
                Type.Boolean({ description: 'Whether your tokens are revoked. Default: true' }),
              ),
            },
            { additionalProperties: false },
          ),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { id, email, name, sessionId } = operatorOf(callerOf, request)
        const { current_password, new_password } = request.body
        const { end_sessions = true, revoke_tokens = true } = request.body
        const issue = await findPasswordIssue(new_password, { email, name, publicUrl })
        if (issue !== null) throw new HubError('password_rejected', { reason: issue })
        const body = {
          currentPassword: current_password,
          newPassword: new_password,
          revokeOtherSessions: end_sessions,
        }
        await throttle.reauthenticate(sessionId, () =>
          forwardToBetterAuthAs(betterAuth, request, reply, { path: 'change-password', body }),
        )
        const audit = { actor: email, target: email, address: request.ip }
        await activity.appendAudit({
          ...{ ...audit, action: 'account.change_password' },
          details: { end_sessions, revoke_tokens },
        })
        const revoked = revoke_tokens
          ? await operators.revokeTokens(id, (count) => ({
              ...{ ...audit, action: 'token.revoke_all' },
              details: { revoked: count },
            }))
          : 0
        const effects = [
          ...(end_sessions ? [' All other sessions were ended.'] : []),
          ...(revoked > 0 ? [` Revoked ${formatCount(revoked, 'token')}.`] : []),
        ]
        return {
          success: true as const,
          message: `The password was changed.${effects.join('')}`,
        }
      },
    )

    app.get(
      '/api/v1/account/sessions',
      {
        schema: {
          summary: 'List your sessions, newest first',
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              sessions: Type.Array(OperatorSession),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { id, sessionId } = operatorOf(callerOf, request)
        const sessions = await operators.listSessions(id)
        return {
          success: true as const,
          sessions: sessions.map((one) => ({ ...one, current: one.id === sessionId })),
        }
      },
    )

    app.delete(
      '/api/v1/account/sessions/:session_id',
      {
        schema: {
          summary: 'End one of your sessions',
          params: Type.Object({ session_id: RequestText() }),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id, email } = operatorOf(callerOf, request)
        const audit = { actor: email, action: 'session.end', target: email, address: request.ip }
        const isEnded = await operators.endSession(id, request.params.session_id, audit)
        if (!isEnded) throw new HubError('not_found', { what: 'session' })
        return { success: true as const, message: 'The session was ended.' }
      },
    )

    app.delete(
      '/api/v1/account/sessions',
      {
        schema: {
          summary: 'End all of your other sessions',
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id, email, sessionId } = operatorOf(callerOf, request)
        const audit = {
          actor: email,
          action: 'session.end_others',
          target: email,
          address: request.ip,
        }
        const ended = await operators.endSessions(id, sessionId, audit)
        return { success: true as const, message: `Ended ${formatCount(ended, 'other session')}.` }
      },
    )
  }
}
