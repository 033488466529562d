import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  DoneResponse,
  ErrorResponse,
  Operator,
  OperatorName,
  OperatorSession,
  PasswordAgain,
  RequestText,
  Role,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { formatCount, type NewAuditEntry } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { OperatorChange, OperatorStore } from '../../storage/port/operator-store.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { CallerOf, RequesterOf } from '../auth/requester.ts'

const params = Type.Object({ id: RequestText() })
const OperatorResponse = Type.Object({ success: Type.Literal(true), operator: Operator })

/** Operators and their sessions, managed by an admin. */
export function operatorRoutes(deps: {
  operators: OperatorStore
  confirmAction: ConfirmAction
  callerOf: CallerOf
  requesterOf: RequesterOf
}): FastifyPluginAsyncTypebox {
  const { operators, confirmAction, callerOf, requesterOf } = deps

  async function find(id: string): Promise<Operator> {
    const operator = await operators.readOperator(id)
    if (!operator) throw new HubError('not_found', { what: 'operator' })
    return operator
  }

  function auditOf(
    request: FastifyRequest,
    action: string,
    { email }: Operator,
    details: Record<string, unknown> = {},
  ): NewAuditEntry {
    return { ...requesterOf(request), action, target: email, details }
  }

  return async (app) => {
    app.get(
      '/api/v1/operators',
      {
        schema: {
          summary: 'List the operators, ordered by e-mail address',
          response: {
            200: Type.Object({ success: Type.Literal(true), operators: Type.Array(Operator) }),
            '4xx': ErrorResponse,
          },
        },
      },
      async () => ({ success: true as const, operators: await operators.listOperators() }),
    )

    app.get(
      '/api/v1/operators/names',
      {
        schema: {
          summary: 'List the names of the operators, ordered by e-mail address',
          response: {
            200: Type.Object({ success: Type.Literal(true), operators: Type.Array(OperatorName) }),
            '4xx': ErrorResponse,
          },
        },
      },
      async () => {
        const all = await operators.listOperators()
        return {
          success: true as const,
          operators: all.map(({ email, name }) => ({ email, name })),
        }
      },
    )

    app.patch(
      '/api/v1/operators/:id',
      {
        schema: {
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
          response: { 200: OperatorResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id } = request.params
        const operator = await find(id)
        const { password, ...change } = request.body
        const action = 'operator.change'
        if (change.role !== undefined || change.disabled === false) {
          const target = operator.email
          await confirmAction(request, { action, target, scope: 'access', password })
        }
        const audit = auditOf(request, action, operator, change)
        assertChanged(await operators.changeOperator(id, change, audit))
        return { success: true as const, operator: await find(id) }
      },
    )

    app.delete(
      '/api/v1/operators/:id',
      {
        schema: {
          summary: 'Remove an operator with all sessions, passkeys and tokens',
          params,
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id } = request.params
        const operator = await find(id)
        const audit = auditOf(request, 'operator.remove', operator)
        assertChanged(await operators.removeOperator(id, audit))
        return { success: true as const, message: `${operator.email} was removed.` }
      },
    )

    app.delete(
      '/api/v1/operators/:id/second-factor',
      {
        schema: {
          summary: 'Remove the second factor and the passkeys of an operator who has lost them',
          description: 'A token needs the scope access.',
          params,
          body: Type.Union([
            Type.Object(PasswordAgain, { additionalProperties: false }),
            Type.Null(),
          ]),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const operator = await find(request.params.id)
        const action = 'second_factor.reset'
        const password = request.body?.password
        const target = operator.email
        await confirmAction(request, { action, target, scope: 'access', password })
        const audit = auditOf(request, action, operator)
        if (!(await operators.removeSecondFactor(operator.id, audit))) {
          throw new HubError('not_found', { what: 'second factor' })
        }
        return { success: true as const, message: 'The second factor was removed.' }
      },
    )

    app.get(
      '/api/v1/operators/:id/sessions',
      {
        schema: {
          summary: 'List the sessions of an operator',
          params,
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
        const { id } = await find(request.params.id)
        const caller = callerOf(request)
        const own = caller.kind === 'operator' ? caller.sessionId : null
        const sessions = await operators.listSessions(id)
        return {
          success: true as const,
          sessions: sessions.map((session) => ({ ...session, current: session.id === own })),
        }
      },
    )

    app.delete(
      '/api/v1/operators/:id/sessions',
      {
        schema: {
          summary: 'End all sessions of an operator',
          params,
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const operator = await find(request.params.id)
        const audit = auditOf(request, 'session.end_all', operator)
        const ended = await operators.endSessions(operator.id, null, audit)
        return { success: true as const, message: `Ended ${formatCount(ended, 'session')}.` }
      },
    )

    app.delete(
      '/api/v1/operators/:id/sessions/:session_id',
      {
        schema: {
          summary: 'End one session of an operator',
          params: Type.Object({ id: RequestText(), session_id: RequestText() }),
          response: { 200: DoneResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id, session_id } = request.params
        const audit = auditOf(request, 'session.end', await find(id))
        if (!(await operators.endSession(id, session_id, audit))) {
          throw new HubError('not_found', { what: 'session' })
        }
        return { success: true as const, message: 'The session was ended.' }
      },
    )
  }
}

function assertChanged(outcome: OperatorChange): void {
  if (outcome === 'unknown') throw new HubError('not_found', { what: 'operator' })
  if (outcome === 'last_admin') throw new HubError('last_admin')
}
