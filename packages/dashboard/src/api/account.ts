/** The account of the operator who is signed in. */
import type { Account, OperatorSession, Passkey } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

const ACCOUNT = { queryKey: ['account'] } as const
export const OWN_SESSIONS_PATH = '/api/v1/account/sessions'
export const PASSKEYS_PATH = '/api/v1/account/passkeys'

export function accountQuery() {
  return queryOptions({
    queryKey: [...ACCOUNT.queryKey, 'details'],
    queryFn: ({ signal }) => callHub<{ account: Account }>('/api/v1/account', { signal }),
  })
}

export function ownSessionsQuery() {
  return queryOptions({
    queryKey: [...ACCOUNT.queryKey, 'sessions'],
    queryFn: ({ signal }) =>
      callHub<{ sessions: OperatorSession[] }>(OWN_SESSIONS_PATH, { signal }),
  })
}

export function passkeysQuery() {
  return queryOptions({
    queryKey: [...ACCOUNT.queryKey, 'passkeys'],
    queryFn: ({ signal }) => callHub<{ passkeys: Passkey[] }>(PASSKEYS_PATH, { signal }),
  })
}
