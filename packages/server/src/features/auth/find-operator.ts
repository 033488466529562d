import type { FastifyRequest } from 'fastify'
import { readSession } from './auth.ts'
import { toWebHeaders } from './forward-to-better-auth.ts'
import type { SignedInOperator } from './requester.ts'
import type { SecondFactorRule } from './second-factor-rule.ts'

/** Finds the operator whose session cookie a request carries, and what that session still wants. */
export function createFindOperator(
  parts: Parameters<typeof readSession>[0] & { rule: SecondFactorRule },
) {
  return async (
    request: FastifyRequest,
    options: { keepAlive: boolean },
  ): Promise<SignedInOperator | null> => {
    const found = await readSession(parts, toWebHeaders(request), options)
    if (!found) return null
    const { operator, sessionId } = found
    const wanted = await parts.rule.wantedOf(operator.id, found)
    return { kind: 'operator', ...operator, sessionId, wanted }
  }
}
