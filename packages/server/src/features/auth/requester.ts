import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Caller } from '../../domain/auth/caller.ts'
import { HubError } from '../../errors.ts'

export type CallerOf = (request: FastifyRequest) => Caller
export type RequesterOf = (request: FastifyRequest) => Requester
export type SignedInOperator = Extract<Caller, { kind: 'operator' }>

/** The operator who sent a request. @throws HubError `operators_only` for a program. */
export function operatorOf(callerOf: CallerOf, request: FastifyRequest): SignedInOperator {
  const caller = callerOf(request)
  if (caller.kind !== 'operator') throw new HubError('operators_only')
  return caller
}
