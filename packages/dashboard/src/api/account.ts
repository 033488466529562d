/** The account of the operator who is signed in. */
import type { Account, OperatorSession, Passkey } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'
import { OPERATORS } from './operators.ts'
import { renewSession } from './session.ts'

export const OWN_SESSIONS_PATH = '/api/v1/account/sessions'
export const PASSKEYS_PATH = '/api/v1/account/passkeys'

export const accountQuery = () => getQuery<{ account: Account }>('GET /api/v1/account')
export const ownSessionsQuery = () =>
  getQuery<{ sessions: OperatorSession[] }>(`GET ${OWN_SESSIONS_PATH}`)
export const passkeysQuery = () => getQuery<{ passkeys: Passkey[] }>(`GET ${PASSKEYS_PATH}`)

/** Changes the account, and what the page shows of it. Returns the account as stored. @throws HubCallError */
export function useChangeAccount() {
  const client = useQueryClient()
  return async (change: { name?: string; alert_mails?: boolean }): Promise<Account> => {
    const { account } = await callHub<{ account: Account }>('/api/v1/account', {
      method: 'PATCH',
      body: change,
    })
    client.setQueryData(accountQuery().queryKey, { account })
    if (change.name !== undefined) {
      await client.invalidateQueries(OPERATORS)
      await renewSession()
    }
    return account
  }
}

/** Ends the session and navigates to `next`. @throws HubCallError */
export async function signOut(next: string): Promise<void> {
  await callHub('/api/auth/sign-out', { method: 'POST', body: {} })
  location.assign(next)
}
