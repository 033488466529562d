import type { ApiToken, TokenScope } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { COMMAND_LINE, type Creator, type Role } from '../../domain/auth/caller.ts'
import { createKey, TOKEN_PREFIX } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import { toSingleLine } from '../../lib/text/single-line.ts'
import { daysFrom } from '../../lib/time/clock.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const MAX_NAME_LENGTH = 100

/**
 * Creates a token for a program. Only its hash is stored, so the token is returned only here.
 * @throws HubError `invalid_request` for a name that could pass for another text in a log, and those of `createToken`.
 */
export async function createOwnedToken(
  { operators }: Pick<FeatureDeps, 'operators'>,
  request: {
    name: string
    role: Role
    scope: TokenScope | null
    expiresAt: string | null
    creator: Creator
  },
  requester: Requester,
): Promise<{ token: string; stored: ApiToken }> {
  const token = createKey(TOKEN_PREFIX)
  const { name, role, scope, expiresAt, creator } = request
  if (name !== toSingleLine(name, MAX_NAME_LENGTH)) {
    const reason = `the name of a token is one line of at most ${MAX_NAME_LENGTH} characters, without invisible characters`
    throw new HubError('invalid_request', { reason })
  }
  const stored = await operators.createToken(
    {
      name,
      role,
      scope,
      token_hash: token.hash,
      hint: token.hint,
      expires_at: expiresAt,
      ...creator,
      created_by: requester.actor,
    },
    ({ id }) => ({
      ...requester,
      action: 'token.create',
      target: name,
      details: { token_id: id, role, ...(scope ? { scope } : {}), expires_at: expiresAt },
    }),
  )
  return { token: token.key, stored }
}

/** Creates a token without an owner, as the command line does. */
export async function createApiToken(
  deps: Pick<FeatureDeps, 'operators' | 'clock'>,
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
    deps,
    { name, role, scope, expiresAt, creator: COMMAND_LINE },
    { actor, address: null },
  )
  return created.token
}
