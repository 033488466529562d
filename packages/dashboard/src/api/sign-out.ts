import { callHub } from './call-hub.ts'

/** Ends the session and leaves the page for `next`. @throws HubCallError */
export async function signOut(next: string): Promise<void> {
  await callHub('/api/auth/sign-out', { method: 'POST', body: {} })
  location.assign(next)
}
