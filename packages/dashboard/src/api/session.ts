/** Who is signed in, and what the page waits for before it goes on. */
import type { SecondFactorWanted } from '@recordhub/protocol'
import { createStore } from '../lib/store.ts'
import { readCsrfToken, writeCsrfToken } from './csrf-token.ts'
import { retryAfterOf } from './retry-after.ts'

type Operator = { id: string; email: string; name: string; role: Role }
export type Role = 'admin' | 'operator' | 'viewer'

type Session = {
  operator: Operator | null
  /** Calls wait until somebody has signed in again. */
  hasEnded: boolean
  /** What the hub wants besides the password before it opens anything; calls wait for it. */
  wanted: SecondFactorWanted
}

type SessionAnswer = {
  operator: Operator
  csrf_token: string
  second_factor_wanted: SecondFactorWanted
}

export const session = createStore<Session>({
  operator: null,
  hasEnded: false,
  wanted: null,
})

/** Between two tries while the hub is away. */
const AWAY_SECONDS = 5

let waiting: (() => void)[] = []

/**
 * Opens the sign-in over the page, and resolves once somebody has signed in again. Resolves at once if the rejected
 * call was sent with another token than the current one: a new session has replaced its session meanwhile.
 */
export function waitForSignIn(sentWith: string): Promise<void> {
  if (sentWith !== readCsrfToken()) return Promise.resolve()
  session.set({ ...session.get(), hasEnded: true })
  return new Promise((resolve) => waiting.push(resolve))
}

/** Leads to a second factor in place of the page; resolves once the hub is content. */
export function waitForSecondFactor(): Promise<void> {
  const content = new Promise<void>((resolve) => waiting.push(resolve))
  // Who cannot be asked what is wanted learns from the call itself what is wrong.
  renewSession().then((isSignedIn) => isSignedIn || letGoOn(), letGoOn)
  return content
}

function letGoOn(): void {
  const all = waiting
  waiting = []
  for (const goOn of all) goOn()
}

/**
 * Asks the hub who is signed in now, and lets the calls that waited go on. False where nobody is.
 * Another operator must not go on with what the one before had open, so the page then begins anew.
 */
export async function renewSession(): Promise<boolean> {
  const response = await askForSession()
  if (!response.ok) return false
  const answer: SessionAnswer = await response.json()
  const { operator, csrf_token, second_factor_wanted: wanted } = answer
  const before = session.get().operator
  if (before && before.id !== operator.id) {
    location.assign('/dashboard')
    return true
  }
  writeCsrfToken(csrf_token)
  session.set({ operator, hasEnded: false, wanted })
  if (wanted === null) letGoOn()
  return true
}

/** Asks again as long as the hub cannot be reached, or takes no more for now. */
async function askForSession(): Promise<Response> {
  for (;;) {
    const response = await fetch('/api/v1/session', {
      headers: { Accept: 'application/json' },
    }).catch(() => null)
    if (response !== null && ![429, 503].includes(response.status)) return response
    const seconds = response === null ? AWAY_SECONDS : Math.max(1, retryAfterOf(response))
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }
}

/** Whether a role holds all that `least` does. */
export function mayActAs(role: Role | undefined, least: Role): boolean {
  const order: Role[] = ['viewer', 'operator', 'admin']
  return role !== undefined && order.indexOf(role) >= order.indexOf(least)
}
