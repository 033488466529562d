import type { Invitation, Operator, OperatorSession } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

/** The operators and their sessions. */
export const OPERATORS = { queryKey: ['operators'] } as const

export function operatorsQuery() {
  return queryOptions({
    queryKey: [...OPERATORS.queryKey, 'list'],
    queryFn: ({ signal }) => callHub<{ operators: Operator[] }>('/api/v1/operators', { signal }),
  })
}

export function operatorSessionsQuery(operatorId: string) {
  return queryOptions({
    queryKey: [...OPERATORS.queryKey, 'sessions', operatorId],
    queryFn: ({ signal }) =>
      callHub<{ sessions: OperatorSession[] }>(`/api/v1/operators/${operatorId}/sessions`, {
        signal,
      }),
  })
}

/** The invitations that nobody has accepted. */
export function invitationsQuery() {
  return queryOptions({
    queryKey: ['invitations'],
    queryFn: ({ signal }) =>
      callHub<{ invitations: Invitation[] }>('/api/v1/invitations', { signal }),
  })
}
