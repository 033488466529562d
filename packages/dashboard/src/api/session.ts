/** The session of the operator. Rejected requests wait here until the operator has signed in. */
import type { RequiredSecondFactorStep } from '@recordhub/protocol'
import { createStore } from '../lib/store.ts'
import { pageHeaders, readCsrfToken, writeCsrfToken } from './csrf-token.ts'
import { retryAfterSeconds } from './retry-after.ts'

type Operator = { id: string; email: string; name: string; role: Role }
export type Role = 'admin' | 'operator' | 'viewer'

type Session = {
  operator: Operator | null
  /** Requests wait until the operator has signed in again. */
  hasEnded: boolean
  /** The second factor that the session still needs; requests wait for it. */
  secondFactor: RequiredSecondFactorStep
}

type SessionResponse = {
  operator: Operator
  csrf_token: string
  required_second_factor_step: RequiredSecondFactorStep
}

export const session = createStore<Session>({
  operator: null,
  hasEnded: false,
  secondFactor: null,
})

/** The delay between two attempts while the hub cannot be reached. */
const RETRY_SECONDS = 5

let waiting: (() => void)[] = []

/**
 * Opens the sign-in dialog, and resolves after the operator has signed in again. Resolves immediately if the rejected
 * request was sent with another token than the current one, because a new session has replaced its session meanwhile.
 */
export function waitForSignIn(csrfToken: string): Promise<void> {
  if (csrfToken !== readCsrfToken()) return Promise.resolve()
  session.set({ ...session.get(), hasEnded: true })
  return new Promise((resolve) => waiting.push(resolve))
}

/** Shows the second-factor page; resolves when the session has the required factors. */
export function waitForSecondFactor(): Promise<void> {
  const granted = new Promise<void>((resolve) => waiting.push(resolve))
  // If the session cannot be read, the repeated request reports the error.
  renewSession().then((isSignedIn) => isSignedIn || resumeWaiting(), resumeWaiting)
  return granted
}

function resumeWaiting(): void {
  const all = waiting
  waiting = []
  for (const resume of all) resume()
}

/** The number of operators that this page has had before the current one. */
export const replacements = createStore(0)

let onReplacement = async (): Promise<void> => undefined

/** Sets what is done when another operator has signed in, before anything is shown to it: the page is left. */
export function beforeReplacement(leavePage: () => Promise<void>): void {
  onReplacement = leavePage
}

/**
 * Reads the current session from the hub, and resumes the waiting requests. Returns false if there is no session. If
 * another operator has signed in, the input, the data and the waiting requests of the previous one are dropped, and the
 * page is rendered anew.
 */
export async function renewSession(): Promise<boolean> {
  const response = await fetchSession()
  if (!response.ok) return false
  const body: SessionResponse = await response.json()
  const { operator, csrf_token, required_second_factor_step: secondFactor } = body
  const previous = session.get().operator
  const isReplaced = previous !== null && previous.id !== operator.id
  if (isReplaced) await onReplacement()
  writeCsrfToken(csrf_token)
  session.set({ operator, hasEnded: false, secondFactor })
  if (isReplaced) replacements.set(replacements.get() + 1)
  if (secondFactor === null) resumeWaiting()
  return true
}

/** Retries while the hub cannot be reached, or rejects the request because of load. */
async function fetchSession(): Promise<Response> {
  for (;;) {
    const response = await fetch('/api/v1/session', { headers: pageHeaders('GET') }).catch(
      () => null,
    )
    if (response !== null && ![429, 503].includes(response.status)) return response
    const seconds =
      response === null ? RETRY_SECONDS : Math.max(1, retryAfterSeconds(response.headers))
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }
}

/** Whether a role includes the permissions of `required`. */
export function hasRole(role: Role | undefined, required: Role): boolean {
  const order: Role[] = ['viewer', 'operator', 'admin']
  return role !== undefined && order.indexOf(role) >= order.indexOf(required)
}
