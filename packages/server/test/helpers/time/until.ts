/** Waiting for something that no event announces. */
import { setTimeout as pause } from 'node:timers/promises'
import { guardMs } from './guard.ts'

const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 25

/**
 * Calls `find` until it returns something other than null. Pauses between calls, because a loop without
 * pauses would slow down what it waits for.
 * @throws Error naming `what` when the time limit is over.
 */
export async function until<Result>(
  find: () => Result | null | Promise<Result | null>,
  what: string,
): Promise<Result> {
  const deadline = performance.now() + guardMs(120_000)
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const found = await find()
    if (found !== null) return found
    if (performance.now() > deadline) throw new Error(`Gave up waiting until ${what}`)
    await pause(pauseMs)
  }
}

/** Calls `look` until it returns true. */
export async function untilTrue(
  what: string,
  look: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(async () => ((await look()) ? true : null), what)
}
