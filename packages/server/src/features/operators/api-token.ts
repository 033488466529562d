import type { ApiToken } from '@recordhub/protocol'
import { createKey, TOKEN_PREFIX } from '../../domain/api-key.ts'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { isRandomKey } from '../../lib/random-key.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

const DAY_MS = 86_400_000

/** Makes a token for a program. It is given this once; only its hash is stored. */
export async function makeApiToken(
  parts: { operators: Pick<OperatorStore, 'createToken'>; clock: Clock },
  request: {
    name: string
    role: Role
    expiresAt: string | null
    /** Whose it is; null for nobody's. */
    operatorId: string | null
    actor: string
    address: string | null
  },
): Promise<{ token: string; stored: ApiToken }> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, expiresAt, operatorId, actor, address } = request
  const stored = await parts.operators.createToken(
    {
      name,
      role,
      token_hash: token.hash,
      hint: token.hint,
      expires_at: expiresAt,
      operator_id: operatorId,
      created_by: actor,
    },
    {
      actor,
      action: 'token.create',
      target: name,
      address,
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
  const { expiresInDays, ...rest } = request
  const expiresAt = daysFrom(parts.clock, expiresInDays)
  const made = await makeApiToken(parts, { ...rest, expiresAt, operatorId: null, address: null })
  return made.token
}

/** The instant in so many days; null for never. */
export function daysFrom(clock: Clock, days: number | null): string | null {
  return days === null ? null : new Date(clock.now().getTime() + days * DAY_MS).toISOString()
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
