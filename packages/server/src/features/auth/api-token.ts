import type { ApiToken, TokenScope } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Role } from '../../domain/auth/caller.ts'
import { createKey, TOKEN_PREFIX } from '../../domain/platform/api-key.ts'
import { type Clock, daysFrom } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

/** Creates a token for a program. Only its hash is stored, so the token is returned only here. */
export async function createOwnedToken(
  operators: Pick<OperatorStore, 'createToken'>,
  request: {
    name: string
    role: Role
    scope: TokenScope | null
    expiresAt: string | null
    /** The owner; null for a token of the command line. */
    operatorId: string | null
  },
  requester: Requester,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, scope, expiresAt, operatorId } = request
  const stored = await operators.createToken(
    {
      name,
      role,
      scope,
      token_hash: token.hash,
      hint: token.hint,
      expires_at: expiresAt,
      operator_id: operatorId,
      created_by: requester.actor,
    },
    {
      ...requester,
      action: 'token.create',
      target: name,
      details: { role, ...(scope ? { scope } : {}), expires_at: expiresAt },
    },
  )
  return { token: token.key, stored }
}

/** Creates a token without an owner, as the command line does. */
export async function createApiToken(
  deps: { operators: Pick<OperatorStore, 'createToken'>; clock: Clock },
  request: {
    name: string
    role: Role
    /** Null by default: everything that the role allows. */
    scope?: TokenScope | null
    expiresInDays: number | null
    actor: string
  },
): Promise<string> {
  const { name, role, scope = null, expiresInDays, actor } = request
  const expiresAt = expiresInDays === null ? null : daysFrom(deps.clock.now(), expiresInDays)
  const created = await createOwnedToken(
    deps.operators,
    { name, role, scope, expiresAt, operatorId: null },
    { actor, address: null },
  )
  return created.token
}
