import { randomUUID } from 'node:crypto'
import type { RequiredSecondFactorStep } from '@recordhub/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Factors,
  hasFactor,
  hasFactorWithout,
  requiredSecondFactorStep,
} from '../../domain/auth/second-factor.ts'
import { HubError } from '../../errors.ts'
import { hmacSha256, sameSecret } from '../../lib/crypto/hash.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { readCookie } from './forward-to-better-auth.ts'

export type SecondFactorPolicy = {
  /** The step that a session of this operator requires before it may be used; null for none. */
  requiredStep: (
    operatorId: string,
    session: { isStrong: boolean },
  ) => Promise<RequiredSecondFactorStep>
  /**
   * Checks that a factor remains after one is removed, where a second factor is mandatory.
   * @throws HubError `last_second_factor`
   */
  assertFactorRemains: (operatorId: string, removed: 'code' | 'passkey') => Promise<void>
  /**
   * Checks that an operator may make a second factor mandatory. A token of the command line has no operator.
   * @throws HubError `own_second_factor_missing`
   */
  assertMayRequire: (operatorId: string | null) => Promise<void>
}

export function createSecondFactorPolicy(
  deps: Pick<FeatureDeps, 'operators' | 'config'> & {
    /** Whether single sign-on is configured. */
    hasProvider: boolean
  },
): SecondFactorPolicy {
  const { operators, config, hasProvider } = deps

  async function factorsOf(operatorId: string): Promise<Factors> {
    const operator = await operators.readOperator(operatorId)
    if (!operator) throw new HubError('not_signed_in')
    return { ...operator, single_sign_on: operator.single_sign_on && hasProvider }
  }

  return {
    async requiredStep(operatorId, session) {
      if (!config.HUB_REQUIRE_SECOND_FACTOR || session.isStrong) return null
      return requiredSecondFactorStep(await factorsOf(operatorId), session)
    },
    async assertFactorRemains(operatorId, removed) {
      if (!config.HUB_REQUIRE_SECOND_FACTOR) return
      if (hasFactorWithout(await factorsOf(operatorId), removed)) return
      throw new HubError('last_second_factor')
    },
    async assertMayRequire(operatorId) {
      if (operatorId !== null && hasFactor(await factorsOf(operatorId))) return
      throw new HubError('own_second_factor_missing')
    },
  }
}

const YEAR_SECONDS = 365 * 24 * 3600

/**
 * Browsers in which an operator has signed in before, identified by a signed cookie for one e-mail address. The cookie
 * grants no access: it only keeps failed attempts from elsewhere from delaying the operator.
 */
export function createTrustedDevices(key: Uint8Array, isBehindTls: boolean) {
  const name = isBehindTls ? '__Host-recordhub.device' : 'recordhub.device'
  const sign = (id: string, email: string) => hmacSha256(key, `${id} ${email.toLowerCase()}`)
  return {
    /** The ID of the device; null if this operator has not signed in from it. */
    find(request: FastifyRequest, email: string): string | null {
      const [id = '', signature = ''] = readCookie(request, name).split('.')
      return sameSecret(signature, sign(id, email)) ? id : null
    },

    remember(reply: FastifyReply, email: string): void {
      const id = randomUUID()
      const flags = `Path=/; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`
      reply.header(
        'set-cookie',
        `${name}=${id}.${sign(id, email)}; Max-Age=${YEAR_SECONDS}; ${flags}`,
      )
    },
  }
}

export type TrustedDevices = ReturnType<typeof createTrustedDevices>
