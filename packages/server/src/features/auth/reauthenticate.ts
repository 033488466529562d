import type { FastifyRequest } from 'fastify'
import type { ConfirmedAction } from '../../domain/auth/caller.ts'
import { type ErrorCode, HubError } from '../../errors.ts'
import { callerOf, type SignedInOperator } from '../../http/authorize.ts'
import type { AuthDeps } from './auth-deps.ts'
import { forwardToBetterAuthAs } from './forward-to-better-auth.ts'

const FRESH_MS = 15 * 60_000

export type ReauthenticateDeps = Pick<AuthDeps, 'operators' | 'clock' | 'betterAuth' | 'throttle'>

/**
 * Verifies that the operator is present before a security setting changes or a key is revealed: by the password, or
 * for an operator without one by a sign-in within the last 15 minutes.
 * @throws HubError `password_wrong`, `session_not_fresh`, `too_many_requests`.
 */
export async function reauthenticate(
  { betterAuth, operators, throttle, clock }: ReauthenticateDeps,
  request: FastifyRequest,
  { id, sessionId }: SignedInOperator,
  password = '',
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
  // The absolute difference: a session that began while the clock was ahead must not appear fresh until the clock catches up.
  const age = Math.abs(clock.now().getTime() - Date.parse(startedAt))
  if (!(age < FRESH_MS)) throw new HubError('session_not_fresh')
}

export type ConfirmAction = (request: FastifyRequest, action: ConfirmedAction) => Promise<void>

/** Attempts during a lockout would fill the audit log. */
const AUDITED_ERRORS: readonly ErrorCode[] = ['password_wrong', 'session_not_fresh']

/**
 * Creates a function that verifies that the caller may reveal a key, give access or start a revert: an operator
 * reauthenticates, a program needs the scope. A session or a token that was stolen then gives no access that outlives it,
 * and takes nothing back. The function throws HubError `scope_required`, and the errors of {@link reauthenticate}.
 */
export function createConfirmAction(
  deps: ReauthenticateDeps & Pick<AuthDeps, 'activity'>,
): ConfirmAction {
  return async (request, { action, target, scope, password }) => {
    const caller = callerOf(request)
    if (caller.kind === 'program') {
      if (caller.scope !== scope) throw new HubError('scope_required', { scope })
      return
    }
    try {
      await reauthenticate(deps, request, caller, password)
    } catch (error) {
      if (error instanceof HubError && AUDITED_ERRORS.includes(error.code)) {
        const { requester } = request
        await deps.activity.appendAudit({ ...requester, action: `${action}_rejected`, target })
      }
      throw error
    }
  }
}
