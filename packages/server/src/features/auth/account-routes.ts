import {
  Account,
  ClosedObject,
  DoneResponse,
  type Operator,
  OperatorSession,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { toMailSettings } from '../../config/feature-settings.ts'
import { formatCount } from '../../domain/activity/activity.ts'
import { MAX_NAME_LENGTH, toOperatorName } from '../../domain/auth/operator-name.ts'
import { findPasswordIssue } from '../../domain/auth/password.ts'
import { found, HubError } from '../../errors.ts'
import { operatorOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'

const Password = Type.String({ maxLength: 1000 })

/** The operator's own account: name, mails, password and sessions. */
export function accountRoutes(
  deps: Pick<
    AuthDeps,
    'operators' | 'activity' | 'publicUrl' | 'config' | 'betterAuth' | 'throttle'
  >,
) {
  const { betterAuth, operators, activity, publicUrl, config, throttle } = deps
  const toAccount = (operator: Operator | null): Account => {
    if (!operator) throw new HubError('not_signed_in')
    const { id, email, name, role, has_password, second_factor, passkeys } = operator
    const { single_sign_on, alert_mails } = operator
    const factors = { has_password, second_factor, passkeys, single_sign_on }
    const mail = { alert_mails, mail_set_up: toMailSettings(config) !== null }
    return { id, email, name, role, ...factors, ...mail }
  }
  return [
    route('GET /api/v1/account', {
      summary: 'Read your account and the ways to sign in to it',
      response: { account: Account },
      handle: async (request) => ({
        account: toAccount(await operators.readOperator(operatorOf(request).id)),
      }),
    }),

    route('PATCH /api/v1/account', {
      summary: 'Change your name, or whether you get the mails about alerts',
      body: Type.Object(
        {
          name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH })),
          alert_mails: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { account: Account },
      async handle(request) {
        const { body, requester } = request
        const { id, email } = operatorOf(request)
        const change = body.name === undefined ? body : { ...body, name: toOperatorName(body.name) }
        if (change.name === '') {
          throw new HubError('invalid_request', { reason: 'the name has no visible character' })
        }
        const audit = { ...requester, action: 'account.change' as const, target: email }
        const details = change
        return {
          account: toAccount(await operators.changeAccount(id, change, { ...audit, details })),
        }
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
