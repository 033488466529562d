/** Waiting for conditions that no event reports. */
import { setTimeout as pause } from 'node:timers/promises'
import { guardMs } from './guard.ts'

const FIRST_PAUSE_MS = 1
const MAX_PAUSE_MS = 25

/**
 * Polls `find` until it returns something other than null. The pauses between the calls leave processor time to the
 * code under test.
 * @param what completes the message of the error: "Timed out waiting until …".
 */
export async function until<Result>(
  find: () => Result | null | Promise<Result | null>,
  what: string,
  limitMs = guardMs(150_000),
): Promise<Result> {
  const deadline = performance.now() + limitMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const found = await find()
    if (found !== null) return found
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}`)
    await pause(pauseMs)
  }
}

/** Polls `condition` until it returns true. */
export async function untilTrue(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(async () => ((await condition()) ? true : null), what)
}
