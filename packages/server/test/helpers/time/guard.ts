/** Time limits for tests that hang. No test needs one to pass. */
import { env } from 'node:process'

/** How much slower this machine is than a typical one. The runner measures it at its start. */
const slowness = Math.max(1, Number(env['TEST_SLOWNESS'] ?? '1'))

/** Scales a time limit in milliseconds by the slowness of the machine. */
export function guardMs(milliseconds: number): number {
  return Math.ceil(milliseconds * slowness)
}
