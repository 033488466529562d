import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'
import type { Auth } from './auth.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SignedInOperator } from './requester.ts'

const FRESH_MS = 15 * 60_000

/**
 * Makes sure that it is the operator who changes how one signs in, and nobody who found the browser open:
 * by the password, or where there is none by a sign-in of the last quarter of an hour.
 * @throws HubError `password_wrong`, `session_not_fresh`, `too_many_requests`.
 */
export async function reauthenticate(
  parts: { auth: Auth; operators: OperatorStore; limits: LoginThrottle; clock: Clock },
  request: FastifyRequest,
  { id, sessionId }: SignedInOperator,
  password: string,
): Promise<void> {
  const operator = await parts.operators.readOperator(id)
  if (operator?.has_password) {
    const call = { path: 'verify-password', body: { password } }
    await parts.limits.confirming(sessionId, () =>
      forwardToBetterAuthAs(parts.auth, request, null, call),
    )
    return
  }
  const sessions = await parts.operators.listSessions(id)
  const begun = sessions.find((session) => session.id === sessionId)?.created_at ?? ''
  const age = parts.clock.now().getTime() - Date.parse(begun)
  if (!(age < FRESH_MS)) throw new HubError('session_not_fresh')
}
