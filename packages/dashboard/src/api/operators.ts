import type { Invitation, Operator, OperatorName, OperatorSession } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { getQuery, queriesOf } from './get-query.ts'

/** Matches the operators and their sessions. */
export const OPERATORS = queriesOf('GET /api/v1/operators')

export const operatorsQuery = () => getQuery<{ operators: Operator[] }>('GET /api/v1/operators')

export const operatorSessionsQuery = (id: string) =>
  getQuery<{ sessions: OperatorSession[] }>('GET /api/v1/operators/:id/sessions', {
    params: { id },
  })

/** Invitations that have not been accepted. */
export const invitationsQuery = () =>
  getQuery<{ invitations: Invitation[] }>('GET /api/v1/invitations')

const NAMES_FRESH_MS = 300_000

/** The name of the operator with this e-mail address; null for a program or a removed operator. */
export function useOperatorName(email: string | null): string | null {
  const { data } = useQuery({
    ...getQuery<{ operators: OperatorName[] }>('GET /api/v1/operators/names'),
    staleTime: NAMES_FRESH_MS,
    enabled: email?.includes('@') ?? false,
  })
  return data?.operators.find((operator) => operator.email === email)?.name ?? null
}
