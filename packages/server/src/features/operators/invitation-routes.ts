import { ClosedObject, DoneResponse, Invitation, PasswordAgain, Role } from '@recordhub/protocol'
import { Type } from 'typebox'
import { creatorOf } from '../../domain/auth/caller.ts'
import { found } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { BetterAuth } from '../auth/better-auth.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  acceptInvitation,
  type InviteDeps,
  inviteOperator,
  readInvitation,
} from './invite-operator.ts'

const Token = Type.String({ maxLength: 200 })
const DEFAULT_DAYS = 7

/** Inviting operators by a link, and accepting an invitation. */
export function invitationRoutes(
  deps: InviteDeps &
    Pick<FeatureDeps, 'activity'> & { betterAuth: BetterAuth; confirmAction: ConfirmAction },
) {
  const { invitations, activity, publicUrl, confirmAction } = deps
  return [
    route('GET /api/v1/invitations', {
      summary: 'List the pending invitations',
      response: { invitations: Type.Array(Invitation) },
      handle: async () => ({ invitations: await invitations.listInvitations() }),
    }),

    route('POST /api/v1/invitations', {
      summary: 'Invite an operator; only this response contains the link',
      description: 'A token needs the scope access.',
      body: ClosedObject({
        email: Type.String({ maxLength: 320 }),
        role: Role,
        expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
        ...PasswordAgain,
      }),
      status: 201,
      response: {
        invitation: Invitation,
        link: Type.String(),
        mailed: Type.Boolean(),
        mail_problem: Type.Union([Type.String(), Type.Null()]),
      },
      async handle(request, reply) {
        const { email, role, expires_in_days: days = DEFAULT_DAYS, password } = request.body
        const action = { action: 'operator.invite' as const, target: null, password }
        await confirmAction(request, { ...action, scope: 'access' })
        const site = publicUrl || `${request.protocol}://${request.host}`
        const invitation = { email, role, days, site, invitedBy: creatorOf(callerOf(request)) }
        const invited = await inviteOperator(deps, invitation, request.requester)
        reply.header('Cache-Control', 'no-store')
        return invited
      },
    }),

    route('DELETE /api/v1/invitations/:id', {
      summary: 'Withdraw a pending invitation',
      params: { id: Type.Integer() },
      response: DoneResponse.properties,
      async handle({ params: { id }, requester }) {
        const action = 'operator.withdraw_invitation'
        const withdrawn = await invitations.withdrawInvitation(id, ({ email: target }) => ({
          ...requester,
          action,
          target,
        }))
        found('invitation', withdrawn)
        return { message: 'The invitation was withdrawn.' }
      },
    }),

    // A POST, although it only reads: proxies log URLs, but not bodies.
    route('POST /api/v1/invitation', {
      summary: 'Read the invitation of a link by its token',
      body: ClosedObject({ token: Token }),
      response: { email: Type.String(), role: Role, expires_at: Type.String() },
      async handle({ body: { token } }, reply) {
        const { email, role, expires_at } = await readInvitation(deps, token)
        reply.header('Cache-Control', 'no-store')
        return { email, role, expires_at }
      },
    }),

    route('POST /invitation', {
      summary: 'Accept an invitation',
      body: ClosedObject({
        token: Token,
        name: Type.String({ maxLength: 200 }),
        password: Type.String({ maxLength: 1000 }),
      }),
      status: 201,
      response: DoneResponse.properties,
      async handle({ body, ip: address }) {
        const { email, role, invited_by } = await acceptInvitation(deps, body)
        const audit = { actor: email, action: 'operator.create' as const, target: email, address }
        const details = { by: 'invitation', role, invited_by }
        await activity.appendAudit({ ...audit, details })
        return { message: 'The account was created. You can sign in now.' }
      },
    }),
  ]
}
