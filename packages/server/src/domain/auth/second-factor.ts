import type { SecondFactorWanted } from '@recordhub/protocol'

/** What an operator signs in with besides a password; `single_sign_on` only where the hub still has the provider. */
export type Factors = { second_factor: boolean; passkeys: number; single_sign_on: boolean }

function hasFactor({ second_factor, passkeys, single_sign_on }: Factors): boolean {
  return second_factor || passkeys > 0 || single_sign_on
}

/**
 * Where a second factor is required: who knows a password alone may set one up where there is none, and must
 * not add another one beside it.
 */
export function decideWanted(
  factors: Factors,
  { isStrong }: { isStrong: boolean },
): SecondFactorWanted {
  if (isStrong) return null
  return hasFactor(factors) ? 'sign_in' : 'set_up'
}

/** Whether another factor is there once a code or one of the passkeys is gone. */
export function keepsFactor(factors: Factors, without: 'code' | 'passkey'): boolean {
  return without === 'code'
    ? hasFactor({ ...factors, second_factor: false })
    : hasFactor({ ...factors, passkeys: factors.passkeys - 1 })
}
