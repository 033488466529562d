import type { RequiredSecondFactorStep } from '@recordhub/protocol'
import {
  type Factors,
  hasFactorWithout,
  requiredSecondFactorStep,
} from '../../domain/auth/second-factor.ts'
import { HubError } from '../../errors.ts'
import type { FeatureDeps } from '../feature-deps.ts'

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
}

export function createSecondFactorPolicy(
  deps: Pick<FeatureDeps, 'operators'> & {
    /** HUB_REQUIRE_SECOND_FACTOR */
    isRequired: boolean
    /** Whether single sign-on is configured. */
    hasProvider: boolean
  },
): SecondFactorPolicy {
  const { operators, isRequired, hasProvider } = deps

  async function factorsOf(operatorId: string): Promise<Factors> {
    const operator = await operators.readOperator(operatorId)
    if (!operator) throw new HubError('not_signed_in')
    return { ...operator, single_sign_on: operator.single_sign_on && hasProvider }
  }

  return {
    async requiredStep(operatorId, session) {
      if (!isRequired || session.isStrong) return null
      return requiredSecondFactorStep(await factorsOf(operatorId), session)
    },
    async assertFactorRemains(operatorId, removed) {
      if (!isRequired || hasFactorWithout(await factorsOf(operatorId), removed)) return
      throw new HubError('last_second_factor')
    },
  }
}
