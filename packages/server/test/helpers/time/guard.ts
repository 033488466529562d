/** Time limits that guard against tests that hang. No test relies on one to pass. */
import { env } from 'node:process'

/** How much slower than a healthy one this machine is; the runner measures it at its start. */
const slowness = Math.max(1, Number(env['TEST_SLOWNESS'] ?? '1'))

/** A guard of so many milliseconds on a healthy machine, and proportionally longer on a slow one. */
export function guardMs(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness)
}
