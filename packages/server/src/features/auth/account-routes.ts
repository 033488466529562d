import { Account, ClosedObject, DoneResponse, OperatorSession } from '@recordhub/protocol'
import { Type } from 'typebox'
import { formatCount } from '../../domain/activity/activity.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { found, HubError } from '../../errors.ts'
import { operatorOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'

const Password = Type.String({ maxLength: 1000 })

/** The operator's own account: password and sessions. */
export function accountRoutes(
  deps: Pick<AuthDeps, 'operators' | 'activity' | 'publicUrl' | 'betterAuth' | 'throttle'>,
) {
  const { betterAuth, operators, activity, publicUrl, throttle } = deps
  return [
    route('GET /api/v1/account', {
      summary: 'Read your account and the ways to sign in to it',
      response: { account: Account },
      async handle(request) {
        const operator = await operators.readOperator(operatorOf(request).id)
        if (!operator) throw new HubError('not_signed_in')
        const { id, email, name, role, has_password, second_factor, passkeys } = operator
        const { single_sign_on } = operator
        const factors = { has_password, second_factor, passkeys, single_sign_on }
        return { account: { id, email, name, role, ...factors } }
      },
    }),

    route('POST /api/v1/account/password', {
      summary: 'Change your password, and end your other sessions and tokens',
      body: ClosedObject({
        current_password: Password,
        new_password: Password,
        end_sessions: Type.Optional(
          Type.Boolean({ description: 'Whether all other sessions end. Default: true' }),
        ),
        revoke_tokens: Type.Optional(
          Type.Boolean({ description: 'Whether your tokens are revoked. Default: true' }),
        ),
      }),
      response: DoneResponse.properties,
      async handle(request, reply) {
        const { id, email, name, sessionId } = operatorOf(request)
        const { current_password: currentPassword, new_password: newPassword } = request.body
        const { end_sessions = true, revoke_tokens = true } = request.body
        const issue = await findPasswordIssue(newPassword, { email, name, publicUrl })
        if (issue !== null) throw new HubError('password_rejected', { reason: issue })
        const body = { currentPassword, newPassword, revokeOtherSessions: end_sessions }
        await throttle.reauthenticate(sessionId, () =>
          forwardToBetterAuthAs(betterAuth, request, reply, { path: 'change-password', body }),
        )
        const audit = { ...request.requester, target: email }
        const details = { end_sessions, revoke_tokens }
        await activity.appendAudit({ ...audit, action: 'account.change_password', details })
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
        return { message: `The password was changed.${effects.join('')}` }
      },
    }),

    route('GET /api/v1/account/sessions', {
      summary: 'List your sessions, newest first',
      response: { sessions: Type.Array(OperatorSession) },
      async handle(request) {
        const { id, sessionId } = operatorOf(request)
        const sessions = await operators.listSessions(id)
        return { sessions: sessions.map((one) => ({ ...one, current: one.id === sessionId })) }
      },
    }),

    route('DELETE /api/v1/account/sessions/:session_id', {
      summary: 'End one of your sessions',
      response: DoneResponse.properties,
      async handle(request) {
        const { id, email } = operatorOf(request)
        const audit = { ...request.requester, action: 'session.end' as const, target: email }
        found('session', await operators.endSession(id, request.params.session_id, audit))
        return { message: 'The session was ended.' }
      },
    }),

    route('DELETE /api/v1/account/sessions', {
      summary: 'End all of your other sessions',
      response: DoneResponse.properties,
      async handle(request) {
        const { id, email, sessionId } = operatorOf(request)
        const audit = { ...request.requester, action: 'session.end_others' as const, target: email }
        const ended = await operators.endSessions(id, sessionId, audit)
        return { message: `Ended ${formatCount(ended, 'other session')}.` }
      },
    }),
  ]
}
