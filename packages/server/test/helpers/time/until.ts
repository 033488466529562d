/** Waiting for conditions that no event reports. */
import { setTimeout as pause } from 'node:timers/promises'
import { guardMs } from './guard.ts'

/** A pause is a tenth of the time waited so far, within these limits: a check of a process costs milliseconds. */
const MIN_PAUSE_MS = 1
const MAX_PAUSE_MS = 250

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
  const started = performance.now()
  for (;;) {
    const found = await find()
    if (found !== null) return found
    const waitedMs = performance.now() - started
    if (waitedMs > limitMs) throw new Error(`Timed out waiting until ${what}`)
    await pause(Math.min(Math.max(waitedMs / 10, MIN_PAUSE_MS), MAX_PAUSE_MS))
  }
}

/** Polls `condition` until it returns true. */
export async function untilTrue(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(async () => ((await condition()) ? true : null), what)
}
