import type { SecondFactorWanted } from '@recordhub/protocol'
import { decideWanted, type Factors, keepsFactor } from '../../domain/auth/second-factor.ts'
import { HubError } from '../../errors.ts'
import type { OperatorStore } from '../../storage/port/operator-store.ts'

export type SecondFactorRule = {
  /** What a session of this operator still wants; null where nothing is required. */
  wantedOf: (operatorId: string, session: { isStrong: boolean }) => Promise<SecondFactorWanted>
  /**
   * Makes sure that another factor is left, where one is required.
   * @throws HubError `last_second_factor`
   */
  expectAnother: (operatorId: string, without: 'code' | 'passkey') => Promise<void>
}

/** Whether a password alone is enough here (`HUB_REQUIRE_SECOND_FACTOR`). */
export function createSecondFactorRule(parts: {
  operators: Pick<OperatorStore, 'readOperator'>
  isRequired: boolean
  /** Whether anybody can come by single sign-on. */
  hasProvider: boolean
}): SecondFactorRule {
  const { operators, isRequired, hasProvider } = parts

  async function factorsOf(operatorId: string): Promise<Factors> {
    const operator = await operators.readOperator(operatorId)
    if (!operator) throw new HubError('not_signed_in')
    return { ...operator, single_sign_on: operator.single_sign_on && hasProvider }
  }

  return {
    async wantedOf(operatorId, session) {
      if (!isRequired || session.isStrong) return null
      return decideWanted(await factorsOf(operatorId), session)
    },
    async expectAnother(operatorId, without) {
      if (!isRequired || keepsFactor(await factorsOf(operatorId), without)) return
      throw new HubError('last_second_factor')
    },
  }
}
