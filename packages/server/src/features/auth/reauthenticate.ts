import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { BetterAuth } from './better-auth.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SignedInOperator } from './requester.ts'

const FRESH_MS = 15 * 60_000

type ReauthenticateDeps = {
  betterAuth: BetterAuth
  operators: OperatorStore
  throttle: LoginThrottle
  clock: Clock
}

/**
 * Verifies that the operator is present before a security setting changes or a key is revealed: by the password, or
 * for an operator without one by a sign-in within the last 15 minutes.
 * @throws HubError `password_wrong`, `session_not_fresh`, `too_many_requests`.
 */
export async function reauthenticate(
  { betterAuth, operators, throttle, clock }: ReauthenticateDeps,
  request: FastifyRequest,
  { id, sessionId }: SignedInOperator,
  password: string,
): Promise<void> {
  const operator = await operators.readOperator(id)
  if (operator?.has_password) {
    const call = { path: 'verify-password', body: { password } }
    await throttle.reauthenticate(sessionId, () =>
      forwardToBetterAuthAs(betterAuth, request, null, call),
    )
    return
  }
  const sessions = await operators.listSessions(id)
  const startedAt = sessions.find((session) => session.id === sessionId)?.created_at ?? ''
  const age = clock.now().getTime() - Date.parse(startedAt)
  if (!(age < FRESH_MS)) throw new HubError('session_not_fresh')
}
