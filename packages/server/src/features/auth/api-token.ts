import type { ApiToken } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { Caller, Role } from '../../domain/auth/caller.ts'
import { createKey, TOKEN_PREFIX } from '../../domain/platform/api-key.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import { type Clock, daysFrom } from '../../lib/time/clock.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

/** Makes a token for a program. It is given this once; only its hash is stored. */
export async function makeApiToken(
  operators: Pick<OperatorStore, 'createToken'>,
  request: {
    name: string
    role: Role
    expiresAt: string | null
    /** Whose it is; null for nobody's. */
    operatorId: string | null
  },
  requester: Requester,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, expiresAt, operatorId } = request
  const stored = await operators.createToken(
    {
      name,
      role,
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
      details: { role, expires_at: expiresAt },
    },
  )
  return { token: token.key, stored }
}

/** Makes a token that is nobody's: that of the command line. */
export async function createApiToken(
  parts: { operators: Pick<OperatorStore, 'createToken'>; clock: Clock },
  request: { name: string; role: Role; expiresInDays: number | null; actor: string },
): Promise<string> {
  const { name, role, expiresInDays, actor } = request
  const expiresAt = expiresInDays === null ? null : daysFrom(parts.clock.now(), expiresInDays)
  const asked = { name, role, expiresAt, operatorId: null }
  const made = await makeApiToken(parts.operators, asked, { actor, address: null })
  return made.token
}

/** The program behind a token; null where the token does not hold. */
export async function findTokenCaller(
  parts: { operators: Pick<OperatorStore, 'findToken'>; clock: Clock },
  token: string,
): Promise<Caller | null> {
  if (!isRandomKey(token, TOKEN_PREFIX)) return null
  const found = await parts.operators.findToken(sha256(token), parts.clock.now().toISOString())
  if (!found) return null
  const { id, name, role, expires_at } = found.token
  return {
    kind: 'program',
    tokenId: id,
    name,
    role,
    expiresAt: expires_at,
    operatorId: found.operator_id,
  }
}
