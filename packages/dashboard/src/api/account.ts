/** The account of the operator who is signed in. */
import type { Account, OperatorSession, Passkey } from '@recordhub/protocol'
import { callHub } from './call-hub.ts'
import { getQuery } from './get-query.ts'

export const OWN_SESSIONS_PATH = '/api/v1/account/sessions'
export const PASSKEYS_PATH = '/api/v1/account/passkeys'

export const accountQuery = () => getQuery<{ account: Account }>('GET /api/v1/account')
export const ownSessionsQuery = () =>
  getQuery<{ sessions: OperatorSession[] }>(`GET ${OWN_SESSIONS_PATH}`)
export const passkeysQuery = () => getQuery<{ passkeys: Passkey[] }>(`GET ${PASSKEYS_PATH}`)

/** Ends the session and navigates to `next`. @throws HubCallError */
export async function signOut(next: string): Promise<void> {
  await callHub('/api/auth/sign-out', { method: 'POST', body: {} })
  location.assign(next)
}
