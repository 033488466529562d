import { createKey, TOKEN_PREFIX } from '../../domain/api-key.ts'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/hash.ts'
import { isRandomKey } from '../../lib/random-key.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

/** Makes a token for a program. It is shown this once; only its hash is stored. */
export async function createApiToken(
  parts: { operators: Pick<OperatorStore, 'createToken'>; clock: Clock },
  request: { name: string; role: Role; expiresInDays: number | null; actor: string },
): Promise<string> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, expiresInDays, actor } = request
  const expires =
    expiresInDays === null ? null : parts.clock.now().getTime() + expiresInDays * 86_400_000
  await parts.operators.createToken(
    {
      name,
      role,
      token_hash: token.hash,
      hint: token.hint,
      expires_at: expires === null ? null : new Date(expires).toISOString(),
    },
    { actor, action: 'token.create', target: name, address: null, details: { role } },
  )
  return token.key
}

/** The program behind a token; null where the token does not hold. */
export async function findTokenCaller(
  parts: { operators: Pick<OperatorStore, 'findToken'>; clock: Clock },
  token: string,
): Promise<Caller | null> {
  if (!isRandomKey(token, TOKEN_PREFIX)) return null
  const found = await parts.operators.findToken(sha256(token), parts.clock.now().toISOString())
  return found && { kind: 'program', tokenId: found.token_id, name: found.name, role: found.role }
}
