import { ClosedObject, DoneResponse, RequiredSecondFactorStep } from '@recordhub/protocol'
import { Type } from 'typebox'
import { HubError } from '../../errors.ts'
import { operatorOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { AuthDeps } from './auth-deps.ts'
import { createFirstOperator, isSetupToken } from './create-operator.ts'

/** The session of the signed-in operator, and the setup of the first operator. */
export function sessionRoutes(
  deps: Pick<
    AuthDeps,
    'operators' | 'activity' | 'secrets' | 'publicUrl' | 'csrfTokenOf' | 'betterAuth'
  >,
) {
  const { activity, secrets, csrfTokenOf } = deps
  return [
    route('GET /api/v1/session', {
      summary: 'Read the signed-in operator and the CSRF token of the session',
      response: {
        operator: Type.Object({
          id: Type.String(),
          email: Type.String(),
          name: Type.String(),
          role: Type.String(),
        }),
        csrf_token: Type.String(),
        required_second_factor_step: RequiredSecondFactorStep,
      },
      async handle(request) {
        const { id, email, name, role, sessionId, secondFactorStep } = operatorOf(request)
        return {
          operator: { id, email, name, role },
          csrf_token: csrfTokenOf(sessionId),
          required_second_factor_step: secondFactorStep,
        }
      },
    }),

    route('POST /setup', {
      summary: 'Create the first operator with the link that the hub printed at its start',
      body: ClosedObject({
        token: Type.String({ maxLength: 200 }),
        email: Type.String({ maxLength: 320 }),
        name: Type.Optional(Type.String({ maxLength: 200 })),
        password: Type.String({ maxLength: 1000 }),
      }),
      status: 201,
      response: DoneResponse.properties,
      async handle({ body: { token, email, name = '', password }, ip: address }) {
        if (!isSetupToken(secrets, token)) throw new HubError('setup_link_invalid')
        await createFirstOperator(deps, { email, name, password })
        const actor = email.toLowerCase()
        const action = 'operator.create_first'
        await activity.appendAudit({ actor, action, target: actor, address })
        return { message: 'The operator was created. You can sign in now.' }
      },
    }),
  ]
}
