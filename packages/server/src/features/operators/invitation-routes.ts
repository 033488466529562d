import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { DoneResponse, ErrorResponse, Invitation, PasswordAgain, Role } from '@recordhub/protocol'
import { creatorOf } from '../../domain/auth/caller.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { InvitationStore } from '../../storage/port/invitation-store.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from '../auth/better-auth.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'
import { acceptInvitation, readInvitation } from './accept-invitation.ts'
import { inviteOperator, type SendMail } from './invite-operator.ts'

const Token = Type.String({ maxLength: 200 })
const DEFAULT_DAYS = 7

/** Inviting operators by a link, and accepting an invitation. */
export function invitationRoutes(deps: {
  betterAuth: BetterAuth
  operators: OperatorStore
  invitations: InvitationStore
  activity: ActivityStore
  clock: Clock
  sendMail: SendMail | null
  publicUrl: string
  confirmAction: ConfirmAction
  callerOf: CallerOf
  requesterOf: RequesterOf
}): FastifyPluginAsyncTypebox {
  const { invitations, activity, publicUrl, confirmAction, callerOf, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/invitations',
      {
        schema: {
          summary: 'List the pending invitations',
          response: {
            200: Type.Object({ success: Type.Literal(true), invitations: Type.Array(Invitation) }),
            '4xx': ErrorResponse,
          },
        },
      },
      async () => ({ success: true as const, invitations: await invitations.listInvitations() }),
    )

    app.post(
      '/api/v1/invitations',
      {
        schema: {
          summary: 'Invite an operator; only this response contains the link',
          description: 'A token needs the scope access.',
          body: Type.Object(
            {
              email: Type.String({ maxLength: 320 }),
              role: Role,
              expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
              ...PasswordAgain,
            },
            { additionalProperties: false },
          ),
          response: {
            201: Type.Object({
              success: Type.Literal(true),
              invitation: Invitation,
              link: Type.String(),
              mailed: Type.Boolean(),
              mail_problem: Type.Union([Type.String(), Type.Null()]),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const { email, role, expires_in_days: days = DEFAULT_DAYS, password } = request.body
        const action = { action: 'operator.invite', target: null, password }
        await confirmAction(request, { ...action, scope: 'access' })
        const site = publicUrl || `${request.protocol}://${request.host}`
        const invitation = { email, role, days, site, invitedBy: creatorOf(callerOf(request)) }
        const invited = await inviteOperator(deps, invitation, requesterOf(request))
        return reply
          .code(201)
          .header('Cache-Control', 'no-store')
          .send({ success: true as const, ...invited })
      },
    )

    app.delete(
      '/api/v1/invitations/:id',
      {
        schema: {
          summary: 'Withdraw a pending invitation',
          params: Type.Object({ id: Type.Integer() }),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const requester = requesterOf(request)
        const withdrawn = await invitations.withdrawInvitation(request.params.id, ({ email }) => ({
          ...requester,
          action: 'operator.withdraw_invitation',
          target: email,
        }))
        if (!withdrawn) throw new HubError('not_found', { what: 'invitation' })
        return { success: true as const, message: 'The invitation was withdrawn.' }
      },
    )

    // A POST, although it only reads: proxies log URLs, but not bodies.
    app.post(
      '/api/v1/invitation',
      {
        schema: {
          summary: 'Read the invitation of a link by its token',
          body: Type.Object({ token: Token }, { additionalProperties: false }),
          response: {
            200: Type.Object({
              success: Type.Literal(true),
              email: Type.String(),
              role: Role,
              expires_at: Type.String(),
            }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const { email, role, expires_at } = await readInvitation(deps, request.body.token)
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, email, role, expires_at }
      },
    )

    app.post(
      '/invitation',
      {
        schema: {
          summary: 'Accept an invitation',
          body: Type.Object(
            {
              token: Token,
              name: Type.String({ maxLength: 200 }),
              password: Type.String({ maxLength: 1000 }),
            },
            { additionalProperties: false },
          ),
          response: { 201: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { email, role, invited_by } = await acceptInvitation(deps, request.body)
        await activity.appendAudit({
          actor: email,
          action: 'operator.create',
          target: email,
          address: request.ip,
          details: { by: 'invitation', role, invited_by },
        })
        return reply.code(201).send({
          success: true as const,
          message: 'The account was created. You can sign in now.',
        })
      },
    )
  }
}
