/** Finds the caller of a request: the operator of a session, or the program with a token. */
import type { FastifyRequest } from 'fastify'
import { type Caller, isRole, type Role } from '../../domain/auth/caller.ts'
import { TOKEN_PREFIX } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { SignedInOperator } from '../../http/authorize.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { AuthDeps } from './auth-deps.ts'
import { toWebHeaders } from './forward-to-better-auth.ts'

/** How often the last use of a session is stored. */
const LAST_SEEN_INTERVAL_MS = 60_000

type Deps = Pick<AuthDeps, 'operators' | 'clock' | 'config' | 'betterAuth' | 'secondFactorPolicy'>

/**
 * Creates a function that finds the operator of a request's session cookie; null without a valid session. `keepAlive`:
 * whether the request counts as activity, which keeps an idle session from ending.
 */
export function createFindOperator(deps: Deps) {
  return async (
    request: FastifyRequest,
    { keepAlive }: { keepAlive: boolean },
  ): Promise<SignedInOperator | null> => {
    const found = await readSession(deps, request)
    if (!found) return null
    const { operator, session, idleMs } = found
    if (keepAlive && idleMs > LAST_SEEN_INTERVAL_MS) {
      const now = deps.clock.now().toISOString()
      // Reads are served even while the database cannot be written.
      await deps.operators.touchSession(operator.id, session.id, now).catch(() => undefined)
    }
    const isStrong = session.strong === true
    const secondFactorStep = await deps.secondFactorPolicy.requiredStep(operator.id, { isStrong })
    return { kind: 'operator', ...operator, sessionId: session.id, secondFactorStep }
  }
}

/** Null without a session, and for a session that has expired, was idle for too long or belongs to a disabled operator. */
async function readSession(
  { betterAuth, clock, config: { HUB_SESSION_IDLE_MINUTES: idleMinutes } }: Deps,
  request: FastifyRequest,
) {
  const headers = toWebHeaders(request)
  const found = await betterAuth.getSession(headers).catch((error: unknown) => {
    // The response names the error of the storage, not a failure to read the session.
    throw error instanceof Error && error.cause instanceof HubError ? error.cause : error
  })
  if (!found || found.user.disabledAt) return null
  const { session, user } = found
  const now = clock.now()
  // The absolute difference: after a clock was set back, a session must not appear active until the clock catches up.
  const idleMs = Math.abs(now.getTime() - session.updatedAt.getTime())
  if (idleMs > idleMinutes * 60_000 || session.expiresAt <= now) return null
  const role: Role = user.role && isRole(user.role) ? user.role : 'viewer'
  const { id, email, name } = user
  return { operator: { id, email, name, role }, session, idleMs }
}

/** The program with a token; null for an invalid token. */
export async function findProgram(
  deps: Pick<FeatureDeps, 'operators' | 'clock'>,
  token: string,
): Promise<Caller | null> {
  if (!isRandomKey(token, TOKEN_PREFIX)) return null
  const found = await deps.operators.findToken(sha256(token), deps.clock.now().toISOString())
  if (!found) return null
  const { id: tokenId, name, role, scope, expires_at: expiresAt } = found.token
  const program = { tokenId, name, role, scope, expiresAt, operatorId: found.operator_id }
  return { kind: 'program', ...program }
}
