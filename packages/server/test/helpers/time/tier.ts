/**
 * The two tiers of the test suite: `npm test` runs the quick one, `npm run test:deep` the deep one. The deep forms of the
 * faults run in `npm run test:faults`.
 */
import { env } from 'node:process'

export const isDeep: boolean = env['TEST_DEEP'] === '1'

/** The number of rounds of a repeated check. */
export function rounds(quick: number, deep: number): number {
  return isDeep ? deep : quick
}
