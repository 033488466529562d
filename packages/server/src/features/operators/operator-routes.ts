import {
  ClosedObject,
  DoneResponse,
  Operator,
  OperatorName,
  OperatorSession,
  PasswordAgain,
  RequestText,
  Role,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { formatCount } from '../../domain/activity/activity.ts'
import { found, HubError } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { OperatorChange } from '../../storage/port/operator-store.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const params = { id: RequestText() }

/** Operators and their sessions, managed by an admin. */
export function operatorRoutes(
  deps: Pick<FeatureDeps, 'operators'> & { confirmAction: ConfirmAction },
) {
  const { operators, confirmAction } = deps
  const find = async (id: string) => found('operator', await operators.readOperator(id))

  return [
    route('GET /api/v1/operators', {
      summary: 'List the operators, ordered by e-mail address',
      response: { operators: Type.Array(Operator) },
      handle: async () => ({ operators: await operators.listOperators() }),
    }),

    route('GET /api/v1/operators/names', {
      summary: 'List the names of the operators, ordered by e-mail address',
      response: { operators: Type.Array(OperatorName) },
      async handle() {
        const all = await operators.listOperators()
        return { operators: all.map(({ email, name }) => ({ email, name })) }
      },
    }),

    route('PATCH /api/v1/operators/:id', {
      summary: 'Change the role of an operator, or disable or enable the account',
      description:
        'A change of the role and enabling the account require the password, or a token with the scope access.',
      params,
      body: Type.Object(
        {
          role: Type.Optional(Role),
          disabled: Type.Optional(Type.Boolean()),
          ...PasswordAgain,
        },
        { additionalProperties: false, minProperties: 1 },
      ),
      response: { operator: Operator },
      async handle(request) {
        const { id } = request.params
        const { email: target } = await find(id)
        const { password, ...change } = request.body
        const action = 'operator.change' as const
        if (change.role !== undefined || change.disabled === false) {
          await confirmAction(request, { action, target, scope: 'access', password })
        }
        const audit = { ...request.requester, action, target, details: change }
        assertChanged(await operators.changeOperator(id, change, audit))
        return { operator: await find(id) }
      },
    }),

    route('DELETE /api/v1/operators/:id', {
      summary: 'Remove an operator with all sessions, passkeys and tokens',
      params,
      response: DoneResponse.properties,
      async handle({ params: { id }, requester }) {
        const { email: target } = await find(id)
        const audit = { ...requester, action: 'operator.remove' as const, target }
        assertChanged(await operators.removeOperator(id, audit))
        return { message: `${target} was removed.` }
      },
    }),

    route('DELETE /api/v1/operators/:id/second-factor', {
      summary: 'Remove the second factor and the passkeys of an operator who has lost them',
      description: 'A token needs the scope access.',
      params,
      body: Type.Union([ClosedObject(PasswordAgain), Type.Null()]),
      response: DoneResponse.properties,
      async handle(request) {
        const { id, email: target } = await find(request.params.id)
        const action = 'second_factor.reset' as const
        const password = request.body?.password
        await confirmAction(request, { action, target, scope: 'access', password })
        const audit = { ...request.requester, action, target }
        found('second factor', await operators.removeSecondFactor(id, audit))
        return { message: 'The second factor was removed.' }
      },
    }),

    route('GET /api/v1/operators/:id/sessions', {
      summary: 'List the sessions of an operator',
      params,
      response: { sessions: Type.Array(OperatorSession) },
      async handle(request) {
        const { id } = await find(request.params.id)
        const caller = callerOf(request)
        const own = caller.kind === 'operator' ? caller.sessionId : null
        const sessions = await operators.listSessions(id)
        return { sessions: sessions.map((one) => ({ ...one, current: one.id === own })) }
      },
    }),

    route('DELETE /api/v1/operators/:id/sessions', {
      summary: 'End all sessions of an operator',
      params,
      response: DoneResponse.properties,
      async handle({ params, requester }) {
        const { id, email: target } = await find(params.id)
        const audit = { ...requester, action: 'session.end_all' as const, target }
        const ended = await operators.endSessions(id, null, audit)
        return { message: `Ended ${formatCount(ended, 'session')}.` }
      },
    }),

    route('DELETE /api/v1/operators/:id/sessions/:session_id', {
      summary: 'End one session of an operator',
      params: { ...params, session_id: RequestText() },
      response: DoneResponse.properties,
      async handle({ params: { id, session_id }, requester }) {
        const { email: target } = await find(id)
        const audit = { ...requester, action: 'session.end' as const, target }
        found('session', await operators.endSession(id, session_id, audit))
        return { message: 'The session was ended.' }
      },
    }),
  ]
}

function assertChanged(outcome: OperatorChange): void {
  if (outcome === 'unknown') throw new HubError('not_found', { what: 'operator' })
  if (outcome === 'last_admin') throw new HubError('last_admin')
}
