/** Time limits that guard against tests that hang. No test relies on one to pass. */
import { env } from 'node:process'

/** The slowness of this machine compared with a healthy one, which the runner measures at its start. */
const slowness = Math.max(1, Number(env['TEST_SLOWNESS'] ?? '1'))

/** A time limit in milliseconds for a healthy machine, scaled for a slow one. */
export function guardMs(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness)
}
