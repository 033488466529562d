import { callHub } from './call-hub.ts'

/** Ends the session and navigates to `next`. @throws HubCallError */
export async function signOut(next: string): Promise<void> {
  await callHub('/api/auth/sign-out', { method: 'POST', body: {} })
  location.assign(next)
}
