/** The two tiers of the test suite: `npm test` runs the quick one, `npm run test:deep` the deep one. */
import { env } from 'node:process'

export const isDeep: boolean = env['TEST_DEEP'] === '1'

/** How many rounds of a repeated check to run. */
export function rounds(quick: number, deep: number): number {
  return isDeep ? deep : quick
}

/** Options for a test that runs in the deep tier only. */
export const deepOnly: { skip?: string } = isDeep ? {} : { skip: 'runs in npm run test:deep' }
