import type { Invitation, Operator, OperatorName, OperatorSession } from '@recordhub/protocol'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

/** Matches the operators and their sessions. */
export const OPERATORS = { queryKey: ['operators'] } as const

export function operatorsQuery() {
  return queryOptions({
    queryKey: [...OPERATORS.queryKey, 'list'],
    queryFn: ({ signal }) => callHub<{ operators: Operator[] }>('/api/v1/operators', { signal }),
  })
}

const NAMES_FRESH_MS = 300_000

/** The name of the operator with this e-mail address; null for a program or a removed operator. */
export function useOperatorName(email: string | null): string | null {
  const { data } = useQuery({
    queryKey: [...OPERATORS.queryKey, 'names'],
    queryFn: ({ signal }) =>
      callHub<{ operators: OperatorName[] }>('/api/v1/operators/names', { signal }),
    staleTime: NAMES_FRESH_MS,
    enabled: email?.includes('@') ?? false,
  })
  return data?.operators.find((operator) => operator.email === email)?.name ?? null
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

/** Invitations that have not been accepted. */
export function invitationsQuery() {
  return queryOptions({
    queryKey: ['invitations'],
    queryFn: ({ signal }) =>
      callHub<{ invitations: Invitation[] }>('/api/v1/invitations', { signal }),
  })
}
